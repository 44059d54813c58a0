// SPDX-License-Identifier: Apache-2.0
// Imitating quantisation in floating point, a scale and a zero point for each slice along an axis.

#include "core/kernels/layout.h"
#include "core/ops/quantized/fake_quantize.h"
#include "core/ops/quantized/family.h"
#include "core/ops/samples.h"

namespace loupe::quantized_ops {
namespace {

using TwoTensors = fn::TwoTensors;

std::int64_t checked_axis(const Tensor& self, const Tensor& scale, const Tensor& zero_point, std::int64_t axis) {
    require(scale.dim() == 1, "scale should be a 1-D tensor");
    require(zero_point.dim() == 1, "zero point should be a 1-D tensor");
    require(scale.numel() == zero_point.numel(), "scale and zero-point need to have the same dimensions");
    require(axis >= 0 && axis < self.dim(), "`axis` must be between 0 and number of dimensions of input");
    require(scale.numel() == self.size(axis),
            "dimensions of scale and zero-point are not consistent with input tensor");
    return axis;
}

Tensor narrow(const Tensor& t) { return fn::to_dtype(t, number_of(ScalarType::Float32)); }

TwoTensors cachemask(const Tensor& self, const Tensor& scale, const Tensor& zero_point, std::int64_t axis,
                     std::int64_t quant_min, std::int64_t quant_max) {
    check_bounds(quant_min, quant_max);
    checked_axis(self, scale, zero_point, axis);
    const Imitated made =
        imitate(self, along_axis(narrow(scale), self, axis), along_axis(narrow(zero_point), self, axis),
                is_floating(zero_point.dtype()), {quant_min, quant_max});
    return {made.output, made.mask};
}

void infer_cachemask(Arguments arguments, MetaList& outputs) {
    const Tensor self = arguments[0].to_tensor();
    require(is_floating(self.dtype()), "\"fake_quantize_channel_cachemask_cpu_type_handling\" not implemented for '",
            dtype_graph_name(self.dtype()), "'");
    checked_axis(self, arguments[1].to_tensor(), arguments[2].to_tensor(), arguments[3].to_int());
    outputs.push_back(same_meta(self));
    outputs.push_back(same_meta(self, ScalarType::Bool));
}

void cachemask_gradient(GradientContext& c) {
    static const OperatorHandle<> backward("aten::fake_quantize_per_channel_affine_cachemask_backward");
    c.grad("self", [&] { return backward(c.grad_output(), c.result(1)); });
}
Tensor cachemask_backward(const Tensor& grad, const Tensor& mask) {
    require(mask.dtype() == ScalarType::Bool, "mask must be of type bool");
    return fn::mul(grad, mask);
}

Tensor per_channel(const Tensor& self, const Tensor& scale, const Tensor& zero_point, std::int64_t axis,
                   std::int64_t quant_min, std::int64_t quant_max) {
    static const OperatorHandle<TwoTensors> op("aten::fake_quantize_per_channel_affine_cachemask");
    return std::get<0>(op(self, scale, zero_point, axis, quant_min, quant_max));
}

Tensor learned_points(const Tensor& zero_point, std::int64_t quant_min, std::int64_t quant_max) {
    return fn::clamp(fn::round(narrow(zero_point)), Scalar(static_cast<double>(quant_min)),
                     Scalar(static_cast<double>(quant_max)));
}

Tensor learnable(const Tensor& self, const Tensor& scale, const Tensor& zero_point, std::int64_t axis,
                 std::int64_t quant_min, std::int64_t quant_max, double) {
    checked_axis(self, scale, zero_point, axis);
    return imitate(self, along_axis(narrow(scale), self, axis),
                   along_axis(learned_points(zero_point, quant_min, quant_max), self, axis), false,
                   {quant_min, quant_max})
        .output;
}

fn::ThreeTensors learnable_backward(const Tensor& grad, const Tensor& self, const Tensor& scale,
                                    const Tensor& zero_point, std::int64_t axis, std::int64_t quant_min,
                                    std::int64_t quant_max, double grad_factor) {
    checked_axis(self, scale, zero_point, axis);
    const LearnableGradients made = learnable_gradients(
        grad, self, along_axis(narrow(scale), self, axis),
        along_axis(learned_points(zero_point, quant_min, quant_max), self, axis), {quant_min, quant_max}, grad_factor);
    Dims others;
    for (std::int64_t d = 0; d < self.dim(); ++d) {
        if (d != axis) others.push_back(d);
    }
    const auto summed = [&](const Tensor& t) { return others.empty() ? t : fn::sum_dim(t, others, false); };
    return {made.x, summed(made.scale), summed(made.zero_point)};
}

void learnable_gradient(GradientContext& c) {
    static const OperatorHandle<fn::ThreeTensors> backward(
        "aten::_fake_quantize_learnable_per_channel_affine_backward");
    const auto [x, scale, zero_point] =
        backward(c.grad_output(), c.argument("self"), c.argument("scale"), c.argument("zero_point"), c.value("axis"),
                 c.value("quant_min"), c.value("quant_max"), c.value("grad_factor"));
    if (c.needs("self")) c.set_grad("self", x);
    if (c.needs("scale")) c.set_grad("scale", scale);
    if (c.needs("zero_point")) c.set_grad("zero_point", zero_point);
}

std::vector<Sample> samples(Random& random, ScalarType dtype) {
    if (!is_floating(dtype)) return {};
    const Tensor scales = tensor_of<float>({0.1F, 0.2F, 0.05F}, {3});
    return {{{random_tensor(random, {3, 4}, dtype), scales, tensor_of<std::int32_t>({0, 3, -2}, {3}), 0, -10, 10}},
            {{random_tensor(random, {2, 3}, dtype), scales, tensor_of<float>({0.5F, 3, -2}, {3}), 1, -128, 127},
             "zero points between integers"}};
}

constexpr std::string_view kFormula =
    "(clamp(round(self / scale_c) + zero_point_c, quant_min, quant_max) - zero_point_c) scale_c";
constexpr std::string_view kPasses = "self: grad where it did not clamp, else 0";

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::fake_quantize_per_channel_affine(Tensor self, Tensor scale, Tensor zero_point, int axis, int "
               "quant_min, int quant_max) -> Tensor",
     .summary = "Rounds to the numbers that quantised elements can stand for, by channel.",
     .formula = kFormula,
     .composite = boxed<per_channel>,
     .gradient = kPasses,
     .samples = samples},
    {.schema = "aten::fake_quantize_per_channel_affine_cachemask(Tensor self, Tensor scale, Tensor zero_point, int "
               "axis, int quant_min, int quant_max) -> (Tensor output, Tensor mask)",
     .summary = "fake_quantize_per_channel_affine, and where it did not clamp.",
     .formula = kFormula,
     .infer = infer_cachemask,
     .kernel = boxed<cachemask>,
     .derivative = {cachemask_gradient, {save_result(1)}},
     .gradient = kPasses,
     .samples = samples},
    {.schema = "aten::fake_quantize_per_channel_affine_cachemask_backward(Tensor grad, Tensor mask) -> Tensor",
     .summary = "The gradient of fake_quantize_per_channel_affine_cachemask.",
     .composite = boxed<cachemask_backward>},
    {.schema = "aten::_fake_quantize_learnable_per_channel_affine(Tensor self, Tensor scale, Tensor zero_point, int "
               "axis, int quant_min, int quant_max, float grad_factor=1.) -> Tensor",
     .summary = "fake_quantize_per_channel_affine whose scales and zero points are learned.",
     .formula = kFormula,
     .kernel = boxed<learnable>,
     .derivative = {learnable_gradient, {save_argument("self"), save_argument("scale"), save_argument("zero_point")}},
     .gradient =
         "self: grad where it did not clamp\nscale: sum grad (output - self) / scale, of clamped elements their "
         "bound\nzero_point: -scale times the sum of grad over clamped elements"},
    {.schema = "aten::_fake_quantize_learnable_per_channel_affine_backward(Tensor grad, Tensor self, Tensor scale, "
               "Tensor zero_point, int axis, int quant_min, int quant_max, float grad_factor=1.) -> (Tensor, Tensor, "
               "Tensor)",
     .summary = "The gradients of _fake_quantize_learnable_per_channel_affine.",
     .kernel = boxed<learnable_backward>,
     .is_gradient_stop = true},
};

}  // namespace

std::span<const OperatorRecord> fake_channel_records() { return kRecords; }

}  // namespace loupe::quantized_ops
