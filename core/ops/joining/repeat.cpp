// SPDX-License-Identifier: Apache-2.0
// repeat, tile and repeat_interleave.

#include "core/base/strings.h"
#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/dispatch/gradient_context.h"
#include "core/kernels/elementwise.h"
#include "core/kernels/integer_math.h"
#include "core/ops/joining/family.h"
#include "core/ops/samples.h"
#include "core/tensor/device_copy.h"

namespace loupe::joining {
namespace {

// The sizes with ones before them until there are as many as repeats.
Dims padded_sizes(IntSpan sizes, std::size_t ndim) {
    Dims out(ndim - sizes.size(), 1);
    out.insert(out.end(), sizes.begin(), sizes.end());
    return out;
}

TensorMeta repeat_meta(const Tensor& self, const Dims& repeats) {
    if (repeats.size() < self.sizes().size()) {
        throw Error(ErrorKind::Run,
                    "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor");
    }
    TensorMeta meta{padded_sizes(self.sizes(), repeats.size()), self.dtype(), self.device()};
    Dims wanted = meta.sizes;
    for (std::size_t d = 0; d < repeats.size(); ++d) wanted[d] = wrapping_product(repeats[d], meta.sizes[d]);
    for (std::size_t d = 0; d < repeats.size(); ++d) {
        if (repeats[d] < 0) {
            throw Error(ErrorKind::Run,
                        concat("Trying to create tensor with negative dimension ",
                               wrapping_product(repeats[d], meta.sizes[d]), ": ", shape_list_text(span_of(wanted))));
        }
        meta.sizes[d] = checked_product(meta.sizes[d], repeats[d]);
    }
    return meta;
}
// Seen as (repeats, size) for each dimension, the result is a broadcast copy.
void repeat(const Tensor& out, const Tensor& self, const Dims& repeats) {
    if (out.numel() == 0) return;
    const Dims sizes = padded_sizes(self.sizes(), repeats.size());
    const std::size_t added = repeats.size() - self.sizes().size();
    Dims pair_sizes, from_strides, to_strides;
    for (std::size_t d = 0; d < repeats.size(); ++d) {
        pair_sizes.push_back(repeats[d]);
        pair_sizes.push_back(sizes[d]);
        from_strides.push_back(0);
        from_strides.push_back(d < added ? 0 : self.strides()[d - added]);
        to_strides.push_back(out.strides()[d] * sizes[d]);
        to_strides.push_back(out.strides()[d]);
    }
    copy_into(out.view_as_strided(span_of(pair_sizes), span_of(to_strides), out.storage_offset()),
              self.view_as_strided(span_of(pair_sizes), span_of(from_strides), self.storage_offset()));
}
void repeat_backward(GradientContext& context) {
    context.grad("self", [&] {
        const Tensor& grad = context.grad_output();
        const Dims repeats = context.value("repeats").to_ints();
        if (grad.numel() == 0) return fn::new_zeros(grad, context.sizes("self"));
        const Dims sizes = padded_sizes(context.sizes("self"), repeats.size());
        Dims pairs, copies;
        for (std::size_t d = 0; d < repeats.size(); ++d) {
            copies.push_back(static_cast<std::int64_t>(pairs.size()));
            pairs.push_back(repeats[d]);
            pairs.push_back(sizes[d]);
        }
        if (copies.empty()) return grad;
        return fn::reshape(fn::sum_dim(fn::reshape(grad, pairs), copies, false), context.sizes("self"));
    });
}
Tensor tile(const Tensor& self, const Dims& dims) {
    Dims repeats = dims;
    while (repeats.size() < self.sizes().size()) repeats.insert(repeats.begin(), 1);
    return fn::repeat(self, repeats);
}

// On another device: the place of each number among the running sums; these are all that the host reads.
Tensor repeated_there(const Tensor& repeats, std::optional<std::int64_t> output_size) {
    static const OperatorHandle<> search("aten::searchsorted.Tensor");
    const auto whole = static_cast<std::int64_t>(ScalarType::Int64);
    const Tensor ends = fn::cumsum(fn::to_dtype(repeats, whole), 0, IValue());
    if (item(fn::amin(repeats, Dims{}, false)).to_int() < 0) throw Error(ErrorKind::Run, "repeats can not be negative");
    const std::int64_t total = item(fn::select(ends, 0, ends.numel() - 1)).to_int();
    if (output_size && *output_size != total)
        throw Error(ErrorKind::Run, "allocated size does not match required size");
    const Tensor numbers = fn::arange(Scalar(total), whole, IValue(), repeats.device());
    return search(ends, numbers, repeats.dtype() == ScalarType::Int32, true, IValue(), Tensor());
}

// 0, 0, 1, 2, 2, 2 from [2, 1, 3].
Tensor repeated_indices(const Tensor& repeats, std::optional<std::int64_t> output_size) {
    if (repeats.dim() != 1) throw Error(ErrorKind::Run, "repeat_interleave only accept 1D vector as repeat");
    if (repeats.dtype() != ScalarType::Int64 && repeats.dtype() != ScalarType::Int32) {
        throw Error(ErrorKind::Run, "repeats has to be Long or Int tensor");
    }
    if (!repeats.device().is_cpu() && repeats.numel() > 0) return repeated_there(repeats, output_size);
    const Tensor counts = on_host(fn::contiguous(fn::to_dtype(repeats, static_cast<std::int64_t>(ScalarType::Int64))));
    const auto* count = counts.data<std::int64_t>();
    std::int64_t total = 0;
    for (std::int64_t i = 0; i < counts.numel(); ++i) {
        if (count[i] < 0) throw Error(ErrorKind::Run, "repeats can not be negative");
        total = checked_sum(total, count[i]);
    }
    if (output_size && *output_size != total)
        throw Error(ErrorKind::Run, "allocated size does not match required size");
    const Tensor out = empty(std::array{total}, repeats.dtype(), repeats.device());
    if (total == 0) return out;
    visit_dtype(repeats.dtype(), [&]<typename T>(std::type_identity<T>) {
        if constexpr (std::is_same_v<T, std::int64_t> || std::is_same_v<T, std::int32_t>) {
            T* to = out.data<T>();
            for (std::int64_t i = 0; i < counts.numel(); ++i) to = std::fill_n(to, count[i], static_cast<T>(i));
        }
    });
    return out;
}
Tensor repeat_interleave(const Tensor& self, const Tensor& repeats, std::optional<std::int64_t> dim,
                         std::optional<std::int64_t> output_size) {
    const Tensor input = dim ? self : fn::reshape(self, Dims{-1});
    const std::int64_t along = dim.value_or(0);
    Tensor counts = repeats;
    if (repeats.dim() == 0 || (repeats.dim() == 1 && repeats.numel() == 1)) {
        counts = fn::expand(fn::reshape(repeats, Dims{1}), Dims{input.size(along)}, false);
    } else if (repeats.dim() == 1) {
        if (repeats.numel() != input.size(along)) {
            throw Error(ErrorKind::Run,
                        concat("repeats must have the same size as input along dim, but got repeats.size(0) = ",
                               repeats.numel(), " and input.size(", along, ") = ", input.size(along)));
        }
    } else {
        throw Error(ErrorKind::Run, "repeats must be 0-dim or 1-dim tensor");
    }
    return fn::index_select(input, along, on_device(repeated_indices(counts, output_size), input.device()));
}
Tensor repeat_interleave_evenly(const Tensor& self, std::int64_t repeats, std::optional<std::int64_t> dim,
                                std::optional<std::int64_t> output_size) {
    return repeat_interleave(self, scalar_tensor(repeats, ScalarType::Int64), dim, output_size);
}

std::vector<Sample> repeat_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {2, 3}, dtype), Dims{2, 1, 2}}},
            {{random_tensor(random, {2, 3}, dtype), Dims{1, 1}}, "once"}};
}
std::vector<Sample> interleave_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {2, 3}, dtype), 2, 1, IValue()}},
            {{random_tensor(random, {2, 3}, dtype), 2, IValue(), IValue()}, "flat"}};
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::repeat(Tensor self, SymInt[] repeats) -> Tensor",
     .summary = "That many copies along each dimension.",
     .infer = inferring<repeat_meta>,
     .kernel = filling<repeat>,
     .derivative = {repeat_backward},
     .gradient = "self: grad, summed over the copies",
     .samples = repeat_samples,
     .variants = kOut,
     .dtypes = {kAnyDtype}},
    {.schema = "aten::tile(Tensor self, int[] dims) -> Tensor",
     .summary = "That many copies along the last dimensions.",
     .composite = boxed<tile>,
     .samples = repeat_samples},
    {.schema = "aten::repeat_interleave.Tensor(Tensor repeats, *, int? output_size=None) -> Tensor",
     .summary = "Each index as often as repeats says.",
     .results_from = ResultsFrom::Elements,
     .kernel = boxed<repeated_indices>,
     .variants = kOut,
     .out = {.overload = "Tensor_out"},
     .is_gradient_stop = true},
    {.schema = "aten::repeat_interleave.self_Tensor(Tensor self, Tensor repeats, int? dim=None, *, "
               "int? output_size=None) -> Tensor",
     .summary = "Each element as often as repeats says, one beside the other.",
     .results_from = ResultsFrom::Elements,
     .composite = boxed<repeat_interleave>},
    {.schema = "aten::repeat_interleave.self_int(Tensor self, int repeats, int? dim=None, *, int? output_size=None) -> "
               "Tensor",
     .summary = "Each element that many times, one beside the other.",
     .composite = boxed<repeat_interleave_evenly>,
     .samples = interleave_samples},
};

}  // namespace

std::span<const OperatorRecord> repeat_records() { return kRecords; }

}  // namespace loupe::joining
