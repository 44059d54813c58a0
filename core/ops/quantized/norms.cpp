// SPDX-License-Identifier: Apache-2.0
// Normalisations of quantised tensors, rounded to a new scale.

#include "core/ops/quantized/family.h"
#include "core/ops/quantized/quantized.h"

namespace loupe::quantized_ops {
namespace {

const OperatorHandle<> group_norm_of("aten::group_norm"), layer_norm_of("aten::layer_norm");

ScalarType dtype_of(const Tensor& q) { return quantized_parts(q).integers.dtype(); }

// q: [N, C, ...]. at::native's q_batch_norm: a factor and an offset each channel, in steps of the result.
template <bool IsRectified>
Tensor batch_norm(const Tensor& q, const Tensor& weight, const Tensor& bias, const Tensor& mean, const Tensor& var,
                  double eps, double scale, std::int64_t zero_point) {
    const QuantizedParts& parts = quantized_parts(q);
    require(!parts.is_by_channel() && q.dim() >= 2, "quantised batch normalisation takes [N, C, ...] with one scale");
    require(mean.dim() == 1 && mean.numel() == q.size(1) && var.numel() == q.size(1),
            "running_mean and running_var should have as many elements as channels");
    Tensor alpha = fn::reciprocal(fn::sqrt(fn::add_scalar(var, Scalar(eps), Scalar(1))));
    if (weight.defined()) alpha = fn::mul(alpha, weight);
    Tensor beta = fn::neg(fn::mul(mean, alpha));
    if (bias.defined()) beta = fn::add(bias, beta, Scalar(1));
    const auto narrow = static_cast<double>(static_cast<float>(parts.scale) / static_cast<float>(scale));
    Dims along(static_cast<std::size_t>(q.dim()), 1);
    along[1] = q.size(1);
    const Tensor factors = fn::reshape(fn::mul_scalar(alpha, Scalar(narrow)), along);
    const Tensor offsets = fn::reshape(fn::div_scalar(beta, Scalar(scale)), along);
    const Tensor moved = fn::sub_scalar(fn::to_dtype(parts.integers, number_of(ScalarType::Float32)),
                                        Scalar(parts.zero_point), Scalar(1));
    Tensor steps = fn::add(fn::mul(moved, factors), offsets, Scalar(1));
    if (IsRectified) steps = fn::relu(steps);
    return make_quantized(quantized_parts(quantize(steps, 1.0, zero_point, dtype_of(q))).integers, scale, zero_point);
}
Tensor aten_batch_norm(const Tensor& q, const Tensor& weight, const Tensor& bias, const Tensor& mean, const Tensor& var,
                       double eps, double scale, std::int64_t zero_point) {
    return batch_norm<false>(q, weight, bias, mean, var, eps, scale, zero_point);
}

Tensor layer_norm(const Tensor& q, const Dims& sizes, const Tensor& weight, const Tensor& bias, double eps,
                  double scale, std::int64_t zero_point) {
    return quantize(layer_norm_of(dequantized(q), sizes, weight, bias, eps), scale, zero_point, dtype_of(q));
}
Tensor group_norm(const Tensor& q, std::int64_t groups, const Tensor& weight, const Tensor& bias, double eps,
                  double scale, std::int64_t zero_point) {
    return quantize(group_norm_of(dequantized(q), groups, weight, bias, eps), scale, zero_point, dtype_of(q));
}
Tensor instance_norm(const Tensor& q, const Tensor& weight, const Tensor& bias, double eps, double scale,
                     std::int64_t zero_point) {
    require(q.dim() >= 2, "quantised instance normalisation takes [N, C, ...]");
    return group_norm(q, q.size(1), weight, bias, eps, scale, zero_point);
}

constexpr OperatorRecord call(std::string_view schema, std::string_view summary, KernelFunction kernel) {
    return {
        .schema = schema, .summary = summary, .kernel = kernel, .is_gradient_stop = true, .sparse = {.as_is = true}};
}

constexpr std::string_view kBatch = "Batch normalisation by running statistics, rounded to the scale.";
#define LOUPE_BATCH_NORM(NAME, IS_RECTIFIED)                                                    \
    call("quantized::" NAME                                                                     \
         "(Tensor qx, Tensor? weight, Tensor? bias, Tensor mean, Tensor var, float eps, float " \
         "output_scale, int output_zero_point) -> Tensor",                                      \
         kBatch, boxed<batch_norm<IS_RECTIFIED>>)

constexpr OperatorRecord kRecords[] = {
    LOUPE_BATCH_NORM("batch_norm", false),
    LOUPE_BATCH_NORM("batch_norm_relu", true),
    LOUPE_BATCH_NORM("batch_norm1d", false),
    LOUPE_BATCH_NORM("batch_norm1d_relu", true),
    LOUPE_BATCH_NORM("batch_norm2d", false),
    LOUPE_BATCH_NORM("batch_norm2d_relu", true),
    LOUPE_BATCH_NORM("batch_norm3d", false),
    LOUPE_BATCH_NORM("batch_norm3d_relu", true),
    call("aten::quantized_batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor mean, Tensor var, float eps, "
         "float output_scale, int output_zero_point) -> Tensor",
         kBatch, boxed<aten_batch_norm>),
    call("quantized::layer_norm(Tensor input, int[] normalized_shape, Tensor? weight, Tensor? bias, float eps, float "
         "output_scale, int output_zero_point) -> Tensor",
         "Layer normalisation, rounded to the scale.", boxed<layer_norm>),
    call("quantized::group_norm(Tensor input, int num_groups, Tensor? weight, Tensor? bias, float eps, float "
         "output_scale, int output_zero_point) -> Tensor",
         "Group normalisation, rounded to the scale.", boxed<group_norm>),
    call("quantized::instance_norm(Tensor input, Tensor? weight, Tensor? bias, float eps, float output_scale, int "
         "output_zero_point) -> Tensor",
         "Instance normalisation, rounded to the scale.", boxed<instance_norm>),
};

}  // namespace

std::span<const OperatorRecord> norm_records() { return kRecords; }

}  // namespace loupe::quantized_ops
