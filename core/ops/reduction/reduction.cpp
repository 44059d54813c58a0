// SPDX-License-Identifier: Apache-2.0
#include "core/ops/reduction/reduction.h"

#include "core/dispatch/functions.h"
#include "core/ops/samples.h"

namespace loupe::reduction {

Reduced::Reduced(std::int64_t rank, const IValue& dim) : rank_(static_cast<std::size_t>(rank)) {
    require(rank <= 64, "only tensors with up to 64 dims are supported");
    const Dims dims = dim.is_none() ? Dims() : dim.to_ints();
    all_ = dims.empty();
    if (all_) {
        std::fill_n(mask_.begin(), rank_, true);
        return;
    }
    for (const std::int64_t d : dims) {
        const auto index = static_cast<std::size_t>(wrap_dim(d, rank));
        require(!mask_[index], "dim ", index, " appears multiple times in the list of dims");
        mask_[index] = true;
    }
}

Dims Reduced::sizes(IntSpan input, bool keepdim) const {
    Dims out;
    for (std::size_t d = 0; d < rank_; ++d) {
        if (!mask_[d])
            out.push_back(input[d]);
        else if (keepdim)
            out.push_back(1);
    }
    return out;
}

Dims Reduced::dims() const {
    Dims out;
    for (std::size_t d = 0; d < rank_; ++d) {
        if (mask_[d]) out.push_back(static_cast<std::int64_t>(d));
    }
    return out;
}

std::int64_t Reduced::count(IntSpan input) const {
    std::int64_t n = 1;
    for (std::size_t d = 0; d < rank_; ++d) {
        if (mask_[d]) n *= input[d];
    }
    return n;
}

Tensor unsqueezed(const Tensor& reduced, std::int64_t rank, const IValue& dim, bool keepdim) {
    if (keepdim || rank == 0) return reduced;
    Tensor out = reduced;
    for (const std::int64_t d : Reduced(rank, dim).dims()) out = fn::unsqueeze(out, d);
    return out;
}

Tensor spread(const Tensor& reduced, IntSpan input, const IValue& dim, bool keepdim) {
    const auto rank = static_cast<std::int64_t>(input.size());
    // A number expands to any shape.
    const Tensor aligned = reduced.dim() == 0 ? reduced : unsqueezed(reduced, rank, dim, keepdim);
    return fn::expand(aligned, to_dims(input));
}

void run(const Reduction* kernel, const Tensor& self, const IValue& dim, std::span<const Tensor> outputs,
         const double* params) {
    require(kernel != nullptr, "not implemented for '", dtype_graph_name(self.dtype()), "'");
    run_reduction(*kernel, self, Reduced(self.dim(), dim).mask(), outputs, params);
}

TensorMeta reduced_meta(const Tensor& self, const IValue& dim, bool keepdim, ScalarType dtype) {
    TensorMeta meta;
    const Dims sizes = Reduced(self.dim(), dim).sizes(self.sizes(), keepdim);
    meta.sizes.assign(sizes.begin(), sizes.end());
    meta.dtype = dtype;
    meta.device = self.device();
    return meta;
}

std::vector<Sample> dim_list_samples(Random& random, ScalarType dtype) {
    const auto draw = [&](std::initializer_list<std::int64_t> sizes) { return random_tensor(random, sizes, dtype); };
    return {{{draw({2, 3}), IValue(), false}, "everything"}, {{draw({2, 3, 4}), Dims{1}, false}, {}},
            {{draw({2, 3, 4}), Dims{0, 2}, true}, "kept"},   {{draw({5, 70}), Dims{0}, false}, "columns"},
            {{draw({3, 70}), Dims{-1}, false}, "rows"},      {{draw({}), IValue(), false}, "0-dimensional"}};
}

std::vector<Sample> one_dim_samples(Random& random, ScalarType dtype) {
    if (is_complex(dtype) || dtype == ScalarType::Bool) return {};
    const auto draw = [&](std::initializer_list<std::int64_t> sizes) { return random_ladder(random, sizes, dtype); };
    return {{{draw({2, 3}), 1, false}, {}},
            {{draw({2, 3, 4}), 0, true}, "kept"},
            {{draw({2, 3, 4}), -2, false}, "the middle"},
            {{draw({4, 70}), 1, false}, "long rows"},
            {{draw({}), 0, false}, "0-dimensional"}};
}

std::vector<Sample> whole_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {2, 3}, dtype)}, {}},
            {{random_tensor(random, {}, dtype)}, "0-dimensional"},
            {{random_tensor(random, {150}, dtype)}, "a vector"}};
}

}  // namespace loupe::reduction
