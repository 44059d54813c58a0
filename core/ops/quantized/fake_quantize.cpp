// SPDX-License-Identifier: Apache-2.0
// Imitating quantisation in floating point, one scale for all elements; the gradient passes where it did not clamp.

#include "core/ops/quantized/fake_quantize.h"

#include "core/kernels/layout.h"
#include "core/ops/quantized/family.h"
#include "core/ops/samples.h"
#include "core/tensor/device_copy.h"

namespace loupe::quantized_ops {
namespace {

bool is_half(ScalarType dtype) { return dtype == ScalarType::Float16 || dtype == ScalarType::BFloat16; }
Tensor widened(const Tensor& x) { return is_half(x.dtype()) ? fn::to_dtype(x, number_of(ScalarType::Float32)) : x; }
Scalar as_float(std::int64_t value) { return Scalar(static_cast<double>(value)); }

// Before the bounds; whole numbers.
Tensor integers_for(const Tensor& x, const Tensor& scale, const Tensor& zero_point, bool rounds_sum) {
    const Tensor moved = fn::mul(x, fn::reciprocal(scale));
    return rounds_sum ? fn::round(fn::add(moved, zero_point, Scalar(1)))
                      : fn::add(fn::round(moved), zero_point, Scalar(1));
}

}  // namespace

Imitated imitate(const Tensor& given, const Tensor& scale, const Tensor& zero_point, bool rounds_sum, Range bounds) {
    const Tensor x = widened(given);
    const Tensor q = integers_for(x, scale, zero_point, rounds_sum);
    const Tensor mask =
        fn::logical_and(fn::ge_scalar(q, as_float(bounds.least)), fn::le_scalar(q, as_float(bounds.most)));
    const Tensor clamped = fn::clamp(q, as_float(bounds.least), as_float(bounds.most));
    const Tensor output = fn::mul(fn::sub(clamped, zero_point, Scalar(1)), scale);
    return {fn::to_dtype(output, number_of(given.dtype())), mask};
}

LearnableGradients learnable_gradients(const Tensor& grad, const Tensor& x, const Tensor& scale,
                                       const Tensor& zero_point, Range bounds, double factor) {
    const Tensor q = fn::round(fn::add(fn::mul(x, fn::reciprocal(scale)), zero_point, Scalar(1)));
    const Tensor below = fn::lt_scalar(q, as_float(bounds.least)), above = fn::gt_scalar(q, as_float(bounds.most));
    const Tensor outside = fn::logical_or(below, above);
    const Tensor clamped = fn::clamp(q, as_float(bounds.least), as_float(bounds.most));
    const Tensor offset = fn::sub(clamped, zero_point, Scalar(1));
    const Tensor error = fn::mul(fn::sub(fn::mul(offset, scale), x, Scalar(1)), fn::reciprocal(scale));
    const Tensor by_scale = fn::where(outside, offset, error);
    const Tensor by_point =
        fn::where_scalar_other(outside, fn::expand(fn::neg(scale), to_dims(x.sizes()), false), Scalar(0));
    return {fn::masked_fill(grad, outside, Scalar(0)), fn::mul_scalar(fn::mul(grad, by_scale), Scalar(factor)),
            fn::mul_scalar(fn::mul(grad, by_point), Scalar(factor))};
}

void check_bounds(std::int64_t quant_min, std::int64_t quant_max) {
    require(quant_min <= quant_max, "`quant_min` should be less than or         equal to `quant_max`.");
}

Tensor constant(double value) { return scalar_tensor(Scalar(value), ScalarType::Float32); }

Tensor along_axis(const Tensor& channels, const Tensor& x, std::int64_t axis) {
    Dims sizes(static_cast<std::size_t>(x.dim()), 1);
    sizes[static_cast<std::size_t>(axis)] = channels.numel();
    return fn::reshape(channels, sizes);
}

namespace {

using TwoTensors = fn::TwoTensors;

TwoTensors cachemask(const Tensor& self, double scale, std::int64_t zero_point, std::int64_t quant_min,
                     std::int64_t quant_max) {
    check_bounds(quant_min, quant_max);
    require(zero_point >= quant_min && zero_point <= quant_max,
            "`zero_point` must be between `quant_min` and `quant_max`.");
    const Imitated made =
        imitate(self, constant(scale), constant(static_cast<double>(zero_point)), false, {quant_min, quant_max});
    return {made.output, made.mask};
}

TwoTensors cachemask_of_tensors(const Tensor& self, const Tensor& scale, const Tensor& zero_point,
                                const Tensor& enabled, std::int64_t quant_min, std::int64_t quant_max) {
    check_bounds(quant_min, quant_max);
    if (!fn::is_nonzero(enabled)) {
        const Tensor all = fn::to_dtype(fn::ones_like(self), number_of(ScalarType::Bool));
        return {fn::clone(self, IValue()), all};
    }
    const Imitated made = imitate(self, constant(item(scale).to_double()), constant(item(zero_point).to_double()),
                                  false, {quant_min, quant_max});
    return {made.output, made.mask};
}

void infer_cachemask(Arguments arguments, MetaList& outputs) {
    const Tensor self = arguments[0].to_tensor();
    require(is_floating(self.dtype()), "\"fake_quantize_tensor_cachemask_kernel_type_handling\" not implemented for '",
            dtype_graph_name(self.dtype()), "'");
    outputs.push_back(same_meta(self));
    outputs.push_back(same_meta(self, ScalarType::Bool));
}

void cachemask_gradient(GradientContext& c) {
    static const OperatorHandle<> backward("aten::fake_quantize_per_tensor_affine_cachemask_backward");
    c.grad("self", [&] { return backward(c.grad_output(), c.result(1)); });
}

Tensor cachemask_backward(const Tensor& grad, const Tensor& mask) {
    require(mask.dtype() == ScalarType::Bool, "mask must be of type bool");
    require(mask.numel() == grad.numel(), "`mask` and `dY` are not the same size");
    return fn::mul(grad, mask);
}

Tensor per_tensor(const Tensor& self, double scale, std::int64_t zero_point, std::int64_t quant_min,
                  std::int64_t quant_max) {
    static const OperatorHandle<TwoTensors> op("aten::fake_quantize_per_tensor_affine_cachemask");
    return std::get<0>(op(self, scale, zero_point, quant_min, quant_max));
}
Tensor per_tensor_of_tensors(const Tensor& self, const Tensor& scale, const Tensor& zero_point, std::int64_t quant_min,
                             std::int64_t quant_max) {
    static const OperatorHandle<TwoTensors> op("aten::_fake_quantize_per_tensor_affine_cachemask_tensor_qparams");
    const Tensor enabled = on_device(tensor_of<std::int64_t>({1}, {1}), self.device());
    return std::get<0>(op(self, scale, zero_point, enabled, quant_min, quant_max));
}

// The integer that a learned zero point stands for: rounded half to even forward; backward half is added and what is
// behind the point is cut off.
double learned_point(const Tensor& zero_point, Range bounds, bool in_backward) {
    const auto value = static_cast<float>(item(fn::select(fn::reshape(zero_point, Dims{-1}), 0, 0)).to_double());
    const float moved = in_backward ? value + 0.5F : std::nearbyint(value);
    return std::trunc(std::clamp(moved, static_cast<float>(bounds.least), static_cast<float>(bounds.most)));
}

Tensor learnable(const Tensor& self, const Tensor& scale, const Tensor& zero_point, std::int64_t quant_min,
                 std::int64_t quant_max, double) {
    check_bounds(quant_min, quant_max);
    const Range bounds{quant_min, quant_max};
    return imitate(self, constant(item(scale).to_double()), constant(learned_point(zero_point, bounds, false)), false,
                   bounds)
        .output;
}

fn::ThreeTensors learnable_backward(const Tensor& grad, const Tensor& self, const Tensor& scale,
                                    const Tensor& zero_point, std::int64_t quant_min, std::int64_t quant_max,
                                    double grad_factor) {
    const Range bounds{quant_min, quant_max};
    const auto there = [&](double value) { return on_device(constant(value), self.device()); };
    const LearnableGradients made =
        learnable_gradients(grad, self, there(item(scale).to_double()), there(learned_point(zero_point, bounds, true)),
                            bounds, grad_factor);
    const Dims one{1};
    return {made.x, fn::reshape(fn::sum(made.scale, IValue()), one),
            fn::reshape(fn::sum(made.zero_point, IValue()), one)};
}

void learnable_gradient(GradientContext& c) {
    static const OperatorHandle<fn::ThreeTensors> backward("aten::_fake_quantize_learnable_per_tensor_affine_backward");
    const auto [x, scale, zero_point] =
        backward(c.grad_output(), c.argument("self"), c.argument("scale"), c.argument("zero_point"),
                 c.value("quant_min"), c.value("quant_max"), c.value("grad_factor"));
    const auto set = [&](ArgumentPlace place, const Tensor& grad) {
        if (c.needs(place)) c.set_grad(place, fn::reshape(grad, to_dims(c.sizes(place))));
    };
    set("self", x);
    set("scale", scale);
    set("zero_point", zero_point);
}

std::vector<Sample> samples(Random& random, ScalarType dtype) {
    if (!is_floating(dtype)) return {};
    return {{{random_tensor(random, {3, 4}, dtype), 0.1, 5, -10, 10}, "clamped"},
            {{random_tensor(random, {2, 3}, dtype), 0.05, 0, -128, 127}, "signed"}};
}
std::vector<Sample> tensor_samples(Random& random, ScalarType dtype) {
    if (dtype != ScalarType::Float32) return {};
    return {{{random_tensor(random, {3, 4}, dtype), tensor_of<float>({0.1F}, {1}), tensor_of<std::int32_t>({5}, {1}),
              -10, 10}}};
}

constexpr std::string_view kSummary = "Rounds to the numbers that quantised elements can stand for.";
constexpr std::string_view kFormula =
    "(clamp(round(self / scale) + zero_point, quant_min, quant_max) - zero_point) scale";
constexpr std::string_view kPasses =
    "self: grad where quant_min <= round(self / scale) + zero_point <= quant_max, else 0";

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::fake_quantize_per_tensor_affine(Tensor self, float scale, int zero_point, int quant_min, int "
               "quant_max) -> Tensor",
     .summary = kSummary,
     .formula = kFormula,
     .composite = boxed<per_tensor>,
     .gradient = kPasses,
     .samples = samples,
     .autocast = {.cpu = Autocast::Float32}},
    {.schema = "aten::fake_quantize_per_tensor_affine.tensor_qparams(Tensor self, Tensor scale, Tensor zero_point, int "
               "quant_min, int quant_max) -> Tensor",
     .summary = kSummary,
     .formula = kFormula,
     .composite = boxed<per_tensor_of_tensors>,
     .gradient = kPasses,
     .samples = tensor_samples},
    {.schema = "aten::fake_quantize_per_tensor_affine_cachemask(Tensor self, float scale, int zero_point, int "
               "quant_min, int quant_max) -> (Tensor output, Tensor mask)",
     .summary = "fake_quantize_per_tensor_affine, and where it did not clamp.",
     .formula = kFormula,
     .infer = infer_cachemask,
     .kernel = boxed<cachemask>,
     .derivative = {cachemask_gradient, {save_result(1)}},
     .gradient = kPasses,
     .samples = samples},
    {.schema = "aten::_fake_quantize_per_tensor_affine_cachemask_tensor_qparams(Tensor self, Tensor scale, Tensor "
               "zero_point, Tensor fake_quant_enabled, int quant_min, int quant_max) -> (Tensor output, Tensor mask)",
     .summary = "fake_quantize_per_tensor_affine if fake_quant_enabled, and where it did not clamp.",
     .formula = kFormula,
     .infer = infer_cachemask,
     .kernel = boxed<cachemask_of_tensors>,
     .derivative = {cachemask_gradient, {save_result(1)}},
     .gradient = kPasses},
    {.schema = "aten::fake_quantize_per_tensor_affine_cachemask_backward(Tensor grad, Tensor mask) -> Tensor",
     .summary = "The gradient of fake_quantize_per_tensor_affine_cachemask.",
     .composite = boxed<cachemask_backward>},
    {
        .schema = "aten::_fake_quantize_learnable_per_tensor_affine(Tensor self, Tensor scale, Tensor zero_point, int "
                  "quant_min, int quant_max, float grad_factor=1.) -> Tensor",
        .summary = "fake_quantize_per_tensor_affine whose scale and zero point are learned.",
        .formula = kFormula,
        .kernel = boxed<learnable>,
        .derivative = {learnable_gradient,
                       {save_argument("self"), save_argument("scale"), save_argument("zero_point")}},
        .gradient =
            "self: grad where it did not clamp\nscale: sum grad (output - self) / scale, of clamped elements their "
            "bound\nzero_point: -scale times the sum of grad over clamped elements",
    },
    {.schema = "aten::_fake_quantize_learnable_per_tensor_affine_backward(Tensor grad, Tensor self, Tensor scale, "
               "Tensor zero_point, int quant_min, int quant_max, float grad_factor=1.) -> (Tensor, Tensor, Tensor)",
     .summary = "The gradients of _fake_quantize_learnable_per_tensor_affine.",
     .kernel = boxed<learnable_backward>,
     .is_gradient_stop = true},
};

}  // namespace

std::span<const OperatorRecord> fake_quantize_records() { return kRecords; }

}  // namespace loupe::quantized_ops
