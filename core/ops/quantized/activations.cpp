// SPDX-License-Identifier: Apache-2.0
// Functions of each element of a quantised tensor, and pools.

#include "core/ops/quantized/family.h"
#include "core/ops/quantized/integer_pool.h"
#include "core/ops/quantized/ordinary.h"
#include "core/ops/quantized/quantized.h"

namespace loupe::quantized_ops {
namespace {

const OperatorHandle<> hardswish_of("aten::hardswish"), celu_of("aten::celu"), softmax_of("aten::softmax.int"),
    threshold_of("aten::threshold"), prelu_of("aten::prelu");
const OperatorHandle<> max_pool1d_of("aten::max_pool1d"), max_pool2d_of("aten::max_pool2d"),
    max_pool3d_of("aten::max_pool3d");

Tensor hardswish(const Tensor& q, double scale, std::int64_t zero_point) {
    // PyTorch's vectors have the reciprocal of the scale as float64 has it.
    return mapped(
        q, scale, zero_point, [](const Tensor& x) { return hardswish_of(x); }, static_cast<float>(1.0 / scale));
}
Tensor sigmoid(const Tensor& q, double scale, std::int64_t zero_point) {
    return mapped(q, scale, zero_point, [](const Tensor& x) { return fn::sigmoid(x); });
}
Tensor leaky_relu(const Tensor& q, const Scalar& slope, bool, double scale, std::int64_t zero_point) {
    return mapped(q, scale, zero_point, [&](const Tensor& x) { return fn::leaky_relu(x, slope); });
}
Tensor elu(const Tensor& q, double scale, std::int64_t zero_point, const Scalar& alpha, const Scalar& factor,
           const Scalar& input_factor) {
    return mapped(q, scale, zero_point, [&](const Tensor& x) { return fn::elu(x, alpha, factor, input_factor); });
}
Tensor celu(const Tensor& q, double scale, std::int64_t zero_point, const Scalar& alpha) {
    return mapped(q, scale, zero_point, [&](const Tensor& x) { return celu_of(x, alpha); });
}
Tensor threshold(const Tensor& q, const Scalar& limit, const Scalar& value) {
    const QuantizedParts& parts = quantized_parts(q);
    return mapped(q, parts.scale, parts.zero_point, [&](const Tensor& x) { return threshold_of(x, limit, value); });
}
Tensor relu6(const Tensor& q, bool) { return clamped(q, 0.0, 6.0); }
Tensor clamp(const Tensor& q, std::optional<Scalar> least, std::optional<Scalar> most) {
    const auto number = [](const std::optional<Scalar>& s) { return s ? std::optional(s->to_double()) : std::nullopt; };
    return clamped(q, number(least), number(most));
}
Tensor softmax(const Tensor& q, std::int64_t dim, double scale, std::int64_t zero_point) {
    return quantize(softmax_of(dequantized(q), dim), scale, zero_point, quantized_parts(q).integers.dtype());
}
Tensor prelu(const Tensor& q, const Tensor& weight, double scale, std::int64_t zero_point) {
    return quantize(prelu_of(dequantized(q), weight), scale, zero_point, quantized_parts(q).integers.dtype());
}
// Inference alone: the identity, but for the scale.
Tensor dropout(const Tensor& q, double scale, std::int64_t zero_point, const Scalar&, bool) {
    return mapped(q, scale, zero_point, [](const Tensor& x) { return x; });
}

template <const OperatorHandle<>& Pool>
Tensor max_pool(const Tensor& q, const Dims& kernel, const Dims& stride, const Dims& padding, const Dims& dilation,
                bool ceil_mode) {
    const Tensor& integers = quantized_parts(q).integers;
    if (const auto made = pooled_integers(integers, kernel, stride, padding, dilation, ceil_mode))
        return with_integers(q, *made);
    return on_moved_integers(q, [&](const Tensor& x) { return Pool(x, kernel, stride, padding, dilation, ceil_mode); });
}

constexpr OperatorRecord call(std::string_view schema, std::string_view summary, KernelFunction kernel) {
    return {
        .schema = schema, .summary = summary, .kernel = kernel, .is_gradient_stop = true, .sparse = {.as_is = true}};
}

constexpr std::string_view kEach = "The function of each number, rounded to the scale.";
constexpr std::string_view kPool = "The greatest element of each window.";

constexpr OperatorRecord kRecords[] = {
    call("quantized::hardswish(Tensor input, float output_scale, int output_zero_point) -> Tensor", kEach,
         boxed<hardswish>),
    call("quantized::sigmoid(Tensor qx, float output_scale, int output_zero_point) -> Tensor", kEach, boxed<sigmoid>),
    call("quantized::leaky_relu(Tensor qx, Scalar negative_slope, bool inplace, float output_scale, int "
         "output_zero_point) -> Tensor",
         kEach, boxed<leaky_relu>),
    call("quantized::elu(Tensor self, float output_scale, int output_zero_point, Scalar alpha=1, Scalar scale=1, "
         "Scalar input_scale=1) -> Tensor",
         kEach, boxed<elu>),
    call("quantized::celu(Tensor self, float output_scale, int output_zero_point, Scalar alpha=1) -> Tensor", kEach,
         boxed<celu>),
    call("quantized::threshold(Tensor qx, Scalar threshold, Scalar value) -> Tensor qy", kEach, boxed<threshold>),
    call("quantized::relu6(Tensor qx, bool inplace=False) -> Tensor", "Numbers limited to 0 to 6.", boxed<relu6>),
    call("quantized::clamp(Tensor qx, Scalar? min=None, Scalar? max=None) -> Tensor qy", "Numbers limited to a range.",
         boxed<clamp>),
    call("quantized::softmax(Tensor qx, int dim, float output_scale, int output_zero_point) -> Tensor",
         "Softmax along a dimension, rounded to the scale.", boxed<softmax>),
    call("quantized::prelu(Tensor qx, Tensor weight, float output_scale, int output_zero_point) -> Tensor", kEach,
         boxed<prelu>),
    call("quantized::dropout(Tensor self, float output_scale, int output_zero_point, Scalar p=0.5, bool "
         "training=False) -> Tensor",
         "The numbers themselves, rounded to the scale.", boxed<dropout>),
    call("quantized::max_pool1d(Tensor qx, int[] kernel_size, int[] stride, int[] padding, int[] dilation, bool "
         "ceil_mode) -> Tensor",
         kPool, boxed<max_pool<max_pool1d_of>>),
    call("quantized::max_pool2d(Tensor qx, int[] kernel_size, int[] stride, int[] padding, int[] dilation, bool "
         "ceil_mode) -> Tensor",
         kPool, boxed<max_pool<max_pool2d_of>>),
    call("aten::quantized_max_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=0, int[1] "
         "dilation=1, bool ceil_mode=False) -> Tensor",
         kPool, boxed<max_pool<max_pool1d_of>>),
    call("aten::quantized_max_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] "
         "dilation=1, bool ceil_mode=False) -> Tensor",
         kPool, boxed<max_pool<max_pool2d_of>>),
    call("aten::quantized_max_pool3d(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, int[3] "
         "dilation=1, bool ceil_mode=False) -> Tensor",
         kPool, boxed<max_pool<max_pool3d_of>>),
};

}  // namespace

std::span<const OperatorRecord> activation_records() { return kRecords; }

}  // namespace loupe::quantized_ops
