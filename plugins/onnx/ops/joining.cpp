// SPDX-License-Identifier: Apache-2.0
// Concatenating, splitting and slicing.
#include <algorithm>
#include <limits>

#include "plugins/onnx/ops/common.h"

namespace loupe::onnx {
namespace {

Tensor concat_along(const TensorList& inputs, std::int64_t axis) {
    require(!inputs.empty(), "expected at least one input");
    return fn::cat(inputs, wrap_dim(axis, std::max<std::int64_t>(inputs[0].dim(), 1)));
}

// Into as many parts as the node has outputs; the last may be smaller.
TensorList split_evenly(const Tensor& x, std::int64_t axis, std::int64_t parts) {
    const std::int64_t dim = wrap_dim(axis, x.dim());
    require(parts > 0, "split into ", parts, " parts");
    const std::int64_t length = x.size(dim);
    // Nothing can be cut into any number of parts.
    if (length == 0) return fn::chunk(x, parts, dim);
    require(parts <= length, "no ", parts, " parts in ", length, " elements");
    const std::int64_t each = (length - 1) / parts + 1;
    Dims sizes(static_cast<std::size_t>(parts), each);
    sizes.back() = length - each * (parts - 1);
    require(sizes.back() >= 0, "no ", parts, " parts in ", length, " elements");
    return fn::split_with_sizes(x, sizes, dim);
}
TensorList split_by(const Tensor& x, std::int64_t axis, const std::optional<Dims>& sizes, std::int64_t num_outputs) {
    if (!sizes || sizes->empty()) return split_evenly(x, axis, num_outputs);
    return fn::split_with_sizes(x, *sizes, wrap_dim(axis, x.dim()));
}
TensorList split(const Tensor& x, const Tensor& sizes, std::int64_t axis, std::int64_t num_outputs) {
    if (!sizes.defined()) return split_evenly(x, axis, num_outputs);
    return fn::split_with_sizes(x, whole_numbers(sizes), wrap_dim(axis, x.dim()));
}

Tensor sliced(const Tensor& x, const Dims& starts, const Dims& ends, Dims axes, Dims steps) {
    if (axes.empty()) axes = all_axes(static_cast<std::int64_t>(starts.size()));
    if (steps.empty()) steps.assign(starts.size(), 1);
    require(ends.size() == starts.size() && axes.size() == starts.size() && steps.size() == starts.size(),
            "starts, ends, axes and steps have different lengths");
    Tensor out = x;
    const Dims dims = wrapped_axes(axes, x.dim());
    for (std::size_t i = 0; i < starts.size(); ++i) {
        const std::int64_t n = x.size(dims[i]);
        const std::int64_t step = steps[i];
        require(step != 0 && step != std::numeric_limits<std::int64_t>::min(), "a step of ", step);
        // From the end, where negative; what lies outside is cut.
        const auto limited = [&](std::int64_t at, std::int64_t low, std::int64_t high) {
            return std::clamp(at < 0 ? at + n : at, low, high);
        };
        if (step > 0) {
            const std::int64_t first = limited(starts[i], 0, n);
            out = fn::slice(out, dims[i], first, std::max(first, limited(ends[i], 0, n)), step);
            continue;
        }
        const std::int64_t first = limited(starts[i], -1, n - 1);
        const std::int64_t last = limited(ends[i], -1, n - 1);
        const Tensor forward = fn::slice(out, dims[i], last + 1, std::max(last, first) + 1, std::int64_t{1});
        out = fn::slice(fn::flip(forward, Dims{dims[i]}), dims[i], std::int64_t{0}, forward.size(dims[i]), -step);
    }
    return starts.empty() ? fn::alias(x) : out;
}
Tensor slice_by(const Tensor& x, const std::optional<Dims>& axes, const Dims& ends, const Dims& starts) {
    return sliced(x, starts, ends, axes.value_or(Dims()), {});
}
Tensor slice(const Tensor& x, const Tensor& starts, const Tensor& ends, const Tensor& axes, const Tensor& steps) {
    const auto or_empty = [](const Tensor& t) { return t.defined() ? whole_numbers(t) : Dims(); };
    return sliced(x, whole_numbers(starts), whole_numbers(ends), or_empty(axes), or_empty(steps));
}

constexpr OperatorRecord kRecords[] = {
    made_of("onnx::Concat(Tensor[] inputs, *, int axis=1) -> Tensor", "Tensors one behind another along an axis.",
            boxed<concat_along>),
    made_of("onnx::Split(Tensor input, *, int axis=0, int[]? split=None, int num_outputs=0) -> (Tensor[] outputs)",
            "Parts along an axis.", boxed<split_by>),
    reading("onnx::Split.v13(Tensor input, Tensor? split=None, *, int axis=0, int num_outputs=0) -> (Tensor[] outputs)",
            "Parts along an axis.", boxed<split>),
    made_of("onnx::Slice(Tensor data, *, int[]? axes=None, int[] ends, int[] starts) -> Tensor", "A part along axes.",
            boxed<slice_by>),
    reading("onnx::Slice.v10(Tensor data, Tensor starts, Tensor ends, Tensor? axes=None, Tensor? steps=None) -> Tensor",
            "A part along axes, in steps, also backwards.", boxed<slice>),
};

}  // namespace

std::span<const OperatorRecord> joining_records() { return kRecords; }

}  // namespace loupe::onnx
