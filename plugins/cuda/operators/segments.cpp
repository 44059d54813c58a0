// SPDX-License-Identifier: Apache-2.0
// segment_reduce. Lengths are read and checked on the host, which needs the results' sizes.
#include "core/ops/composed/segments.h"

#include "core/dispatch/boxing.h"
#include "core/tensor/device_copy.h"
#include "plugins/cuda/loops/segments.h"
#include "plugins/cuda/operators/dense.h"
#include "plugins/cuda/operators/operators.h"

namespace loupe::cuda {
namespace {

using composed::SegmentReduce;
using composed::Segments;

Stretch stretch_of(SegmentReduce reduce) {
    switch (reduce) {
        case SegmentReduce::Max:
            return Stretch::Max;
        case SegmentReduce::Mean:
            return Stretch::Mean;
        case SegmentReduce::Min:
            return Stretch::Min;
        case SegmentReduce::Sum:
            return Stretch::Sum;
        case SegmentReduce::Prod:
            break;
    }
    return Stretch::Product;
}
double first_of(Stretch stretch, const std::optional<Scalar>& initial) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    if (initial) return static_cast<double>(static_cast<float>(initial->to_double()));
    if (stretch == Stretch::Max) return -kInfinity;
    if (stretch == Stretch::Min) return kInfinity;
    return stretch == Stretch::Product ? 1 : 0;
}

// The shape with its bounds on the device, which `kept` holds.
SegmentShape shape_of(const Tensor& data, const Segments& s, Stretch stretch, const std::optional<Scalar>& initial,
                      Tensor& kept) {
    SegmentShape shape;
    shape.stretch = stretch;
    shape.element = element_of(data.dtype());
    shape.outer = s.outer;
    shape.size = s.size;
    shape.inner = s.inner;
    shape.count = s.count;
    shape.first = first_of(stretch, initial);
    shape.has_initial = initial.has_value();
    const auto count = static_cast<std::int64_t>(s.bounds.size());
    kept = on_device(tensor_of(std::span<const std::int64_t>(s.bounds), IntSpan(&count, 1)), data.device());
    shape.bounds = static_cast<const std::int64_t*>(address_of(kept));
    return shape;
}

Tensor segment_reduce(const Tensor& data, std::string_view reduce, const Tensor& lengths, const Tensor& indices,
                      const Tensor& offsets, std::int64_t axis, bool is_unsafe, std::optional<Scalar> initial) {
    const Stretch stretch = stretch_of(composed::segment_reduce_of(reduce));
    composed::segment_shape(data, lengths, indices, offsets, axis);
    const Segments s = composed::segments_of(data, lengths, offsets, axis, is_unsafe);
    const Tensor out = empty(span_of(s.output), data.dtype(), data.device()), x = dense(data);
    if (out.numel() == 0) return out;
    Tensor bounds;
    const SegmentShape shape = shape_of(data, s, stretch, initial, bounds);
    run_segments(queue_of(data.device()), shape, address_of(x), address_of(out));
    return out;
}

Tensor segment_reduce_backward(const Tensor& grad, const Tensor& output, const Tensor& data, std::string_view reduce,
                               const Tensor& lengths, const Tensor& offsets, std::int64_t axis,
                               std::optional<Scalar> initial) {
    const Stretch stretch = stretch_of(composed::segment_reduce_of(reduce));
    const Segments s = composed::segments_of(data, lengths, offsets, axis, true);
    const Tensor out = zeros(data.sizes(), data.dtype(), data.device());
    const Tensor x = dense(data), g = dense(grad, data.dtype()), y = dense(output, data.dtype());
    if (g.numel() == 0) return out;
    Tensor bounds;
    SegmentShape shape = shape_of(data, s, stretch, initial, bounds);
    shape.first = first_of(Stretch::Product, initial);
    run_segment_gradients(queue_of(data.device()), shape, address_of(g), address_of(y), address_of(x), address_of(out));
    return out;
}

}  // namespace

void register_segments(const Registration& to) {
    to.add("aten::segment_reduce", boxed<segment_reduce>, takes_floating<0>);
    to.add("aten::_segment_reduce_backward", boxed<segment_reduce_backward>, takes_floating<0, 1, 2>);
}

}  // namespace loupe::cuda
