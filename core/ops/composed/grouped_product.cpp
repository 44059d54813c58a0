// SPDX-License-Identifier: Apache-2.0
// Products of groups of rows, columns or terms, each with a matrix of its own: layers of experts.

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/ops/composed/composite.h"
#include "core/ops/composed/family.h"
#include "core/ops/samples.h"

namespace loupe::composed {
namespace {

template <typename... Parts>
void require(bool holds, const Parts&... parts) {
    if (!holds) throw Error(ErrorKind::Run, concat(parts...));
}

// Where each group ends, in order and within the size that is divided.
std::vector<std::int64_t> group_ends(const Tensor& offs, std::int64_t size) {
    std::vector<std::int64_t> ends;
    for (std::int64_t g = 0; g < offs.numel(); ++g) {
        const std::int64_t end = item(fn::select(offs, 0, g)).to_int();
        require(end >= (ends.empty() ? 0 : ends.back()) && end <= size, "grouped_mm: offsets must rise to ", size,
                ", but got ", end);
        ends.push_back(end);
    }
    return ends;
}

void check(const Tensor& self, const Tensor& mat2, const Tensor& offs, const Tensor& bias) {
    require(
        self.dtype() == mat2.dtype() && (self.dtype() == ScalarType::BFloat16 || self.dtype() == ScalarType::Float32 ||
                                         self.dtype() == ScalarType::Float16),
        "Expected inputs to grouped_mm of one of the types Float, BFloat16 or Half, got mat_a ",
        dtype_graph_name(self.dtype()), " and mat_b ", dtype_graph_name(mat2.dtype()));
    require(self.dim() == 2 || self.dim() == 3, "mat_a has to be 2 or 3d");
    require(mat2.dim() == 2 || mat2.dim() == 3, "mat_b has to be 2 or 3d");
    const bool divides = self.dim() == 2 || mat2.dim() == 2;
    require(self.size(-1) == mat2.size(-2), "contraction dimension of mat_a and mat_b must match");
    require(divides == offs.defined(),
            "Have to provide offsets if there is a 2d matrix, or no offset if both matrices "
            "are 3d");
    require(!offs.defined() || (offs.dim() == 1 && offs.dtype() == ScalarType::Int32),
            "offs has to be 1D and of dtype int32");
    require(!bias.defined(), "Bias not supported yet");
}

// Rows of self by group, columns of mat2 by group, or terms of the sums by group; batches without `offs`.
Tensor product(const Tensor& self, const Tensor& mat2, const Tensor& offs) {
    if (self.dim() == 3 && mat2.dim() == 3) return fn::bmm(self, mat2);
    const bool splits_rows = self.dim() == 2 && mat2.dim() == 3, splits_columns = self.dim() == 3 && mat2.dim() == 2;
    const std::int64_t size = splits_rows ? self.size(0) : splits_columns ? mat2.size(1) : self.size(1);
    TensorList parts;
    std::int64_t begin = 0, g = 0;
    const std::vector<std::int64_t> ends = group_ends(offs, size);
    const auto part = [&](const Tensor& t, std::int64_t dim, std::int64_t end) {
        return fn::narrow(t, dim, begin, end - begin);
    };
    for (const std::int64_t end : ends) {
        if (splits_rows)
            parts.push_back(fn::mm(part(self, 0, end), fn::select(mat2, 0, g)));
        else if (splits_columns)
            parts.push_back(fn::mm(fn::select(self, 0, g), part(mat2, 1, end)));
        else
            parts.push_back(fn::mm(part(self, 1, end), part(mat2, 0, end)));
        begin = end;
        ++g;
    }
    require(!parts.empty(), "grouped_mm: there must be a group");
    if (!splits_rows && !splits_columns) return fn::stack(parts, 0);
    // What belongs to no group is zero here, undefined in PyTorch.
    if (begin < size) {
        Dims missing = to_dims(parts.front().sizes());
        missing[splits_rows ? 0 : 1] = size - begin;
        parts.push_back(fn::new_zeros(parts.front(), missing));
    }
    return fn::cat(parts, splits_rows ? 0 : 1);
}

Tensor grouped_mm(const Tensor& self, const Tensor& mat2, const Tensor& offs, const Tensor& bias,
                  std::optional<ScalarType> out_dtype) {
    check(self, mat2, offs, bias);
    const Tensor out = product(self, mat2, offs);
    return out_dtype ? fn::to_dtype(out, static_cast<std::int64_t>(*out_dtype)) : out;
}

// What transformers calls where PyTorch's own product has no kernel; rows by group.
Tensor grouped_mm_fallback(const Tensor& input, const Tensor& weight, const Tensor& offs) {
    require(input.dim() == 2 && weight.dim() == 3 && input.size(1) == weight.size(1),
            "grouped_mm_fallback: expected input (rows, k) and weight (groups, k, n)");
    require(offs.dim() == 1 && offs.size(0) == weight.size(0), "grouped_mm_fallback: expected an offset a group");
    return product(input, weight, offs);
}
std::vector<Sample> fallback_samples(Random& random, ScalarType dtype) {
    if (dtype != ScalarType::Float32 && dtype != ScalarType::BFloat16) return {};
    const Tensor ends = tensor_of<std::int32_t>({2, 2, 5}, {3});
    return {{{random_tensor(random, {5, 4}, dtype), random_tensor(random, {3, 4, 2}, dtype), ends}}};
}

std::vector<Sample> samples(Random& random, ScalarType dtype) {
    if (dtype != ScalarType::Float32 && dtype != ScalarType::BFloat16) return {};
    const Tensor ends = tensor_of<std::int32_t>({2, 2, 5}, {3});
    const auto t = [&](std::initializer_list<std::int64_t> sizes) { return random_tensor(random, sizes, dtype); };
    return {{{t({5, 4}), t({3, 4, 2}), ends, IValue(), IValue()}, "rows"},
            {{t({3, 2, 4}), t({4, 5}), ends, IValue(), IValue()}, "columns"},
            {{t({2, 5}), t({5, 3}), ends, IValue(), IValue()}, "terms"},
            {{t({3, 2, 4}), t({3, 4, 2}), IValue(), IValue(), IValue()}, "batches"}};
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::_grouped_mm(Tensor self, Tensor mat2, Tensor? offs=None, Tensor? bias=None, ScalarType? "
               "out_dtype=None) -> Tensor",
     .summary = "Products of groups, each with a matrix of its own; offs says where each group ends.",
     .formula = "out[g] = self[g] mat2[g]",
     .composite = boxed<grouped_mm>,
     .gradient = "self: grad[g] mat2[g]^T\nmat2: self[g]^T grad[g]",
     .samples = samples,
     .placement = Placement::Host},
    {.schema = "transformers::grouped_mm_fallback(Tensor input, Tensor weight, Tensor offs) -> Tensor",
     .summary = "Rows by group, each group with a matrix of its own; offs says where each group ends.",
     .formula = "out[g] = input[g] weight[g]",
     .composite = boxed<grouped_mm_fallback>,
     .gradient = "input: grad[g] weight[g]^T\nweight: input[g]^T grad[g]",
     .samples = fallback_samples,
     .placement = Placement::Host},
};

}  // namespace

std::span<const OperatorRecord> grouped_product_records() { return kRecords; }

}  // namespace loupe::composed
