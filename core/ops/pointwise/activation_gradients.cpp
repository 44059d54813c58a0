// SPDX-License-Identifier: Apache-2.0
// Gradients of the activation functions: of the output's gradient g and the input x (or output y). Their own
// derivatives make double backward work.

#include <cmath>
#include <numbers>

#include "core/dispatch/out_refusals.h"
#include "core/kernels/arithmetic.h"
#include "core/ops/pointwise/family.h"
#include "core/ops/pointwise/pointwise.h"

namespace loupe {
namespace {

using namespace arithmetic;
using namespace pointwise;
using G = GradientContext;

void infer_gradient(Arguments arguments, MetaList& outputs) {
    const ScalarType dtype = result_type(arguments[0], arguments[1]);
    refuse_complex(dtype);
    outputs.push_back(elementwise_meta(arguments.first(2), dtype));
}
void infer_complex_gradient(Arguments arguments, MetaList& outputs) {
    outputs.push_back(elementwise_meta(arguments.first(2), result_type(arguments[0], arguments[1])));
}
void infer_elu_gradient(Arguments arguments, MetaList& outputs) {
    const IValue both[] = {arguments[0], arguments[5]};
    outputs.push_back(elementwise_meta(both, arguments[0].to_tensor().dtype()));
}

void elu_kernel(Arguments arguments, IValue* results) {
    require(!arguments[4].to_bool() || arguments[1].to_scalar().to_double() >= 0,
            "In-place elu backward calculation is triggered with a negative slope which is not supported. This is "
            "caused by calling "
            "in-place forward function with a negative slope, please call out-of-place version instead.");
    const Tensor out = results[0].to_tensor();
    const ScalarType as = compute_type(out.dtype());
    const Scalar params[] = {arguments[1].to_scalar(), arguments[2].to_scalar(), arguments[3].to_scalar()};
    const ActivationOp op = arguments[4].to_bool() ? ActivationOp::EluBackwardOfResult : ActivationOp::EluBackward;
    const IValue inputs[] = {arguments[0], arguments[5]};
    run(activation_kernel(op, as), out, as, inputs, out.dtype(), as, params, 4);
}
void elu_gradient(G& c) {
    const Scalar alpha = c.value("alpha").to_scalar(), scale = c.value("scale").to_scalar(),
                 input_scale = c.value("input_scale").to_scalar();
    const bool is_result = c.value("is_result").to_bool();
    const Tensor g = c.grad_output();
    const Tensor x = c.argument("self_or_result");
    c.grad("grad_output", [&] { return fn::elu_backward(g, alpha, scale, input_scale, is_result, x); });
    c.grad("self_or_result", [&] {
        const double input = input_scale.to_double();
        const Tensor both = g * c.argument("grad_output");
        const Tensor below =
            is_result ? both * input
                      : both * (fn::exp(x * input_scale) * (alpha.to_double() * scale.to_double() * input * input));
        return keep_where(below, fn::le_scalar(x, Scalar(0)));
    });
}

void gelu_kernel(Arguments arguments, IValue* results) {
    const bool exact = arguments[2].to_string() == "none";
    run_activation(exact ? ActivationOp::GeluBackward : ActivationOp::GeluTanhBackward, 2, arguments, results);
}
Tensor gelu_curvature(const Tensor& x) {
    const Tensor square = x * x;
    return fn::exp(square * -0.5) * (1 / std::sqrt(2 * std::numbers::pi)) * (2 - square);
}
Tensor gelu_tanh_curvature(const Tensor& x) {
    constexpr double kCubic = 0.044715;
    const double scale = std::sqrt(2 / std::numbers::pi);
    const Tensor square = x * x;
    const Tensor t = fn::tanh(x * scale * (1 + square * kCubic));
    const Tensor slope = (1 + square * (3 * kCubic)) * scale;
    const Tensor rest = 1 - t * t;
    return rest * slope + x * 0.5 * (rest * (x * (6 * scale * kCubic)) - t * 2 * rest * (slope * slope));
}
void gelu_gradient(G& c) {
    const Tensor g = c.grad_output();
    const Tensor x = c.argument("self");
    c.grad("grad_output", [&] { return fn::gelu_backward(g, x, c.value("approximate")); });
    c.grad("self", [&] {
        const bool exact = c.value("approximate").to_string() == "none";
        return g * c.argument("grad_output") * (exact ? gelu_curvature(x) : gelu_tanh_curvature(x));
    });
}

// d/dx of sigmoid'(x) and so on, for those that curve.
Tensor silu_curvature(const Tensor& x) {
    const Tensor s = fn::sigmoid(x);
    return s * (1 - s) * (2 + x * (1 - s * 2));
}
Tensor mish_curvature(const Tensor& x) {
    const Tensor s = fn::sigmoid(x);
    const Tensor t = fn::tanh(fn::softplus(x, Scalar(1), Scalar(20)));
    return s * (1 - t * t) * (2 + x * (1 - s - t * s * 2));
}

template <const OperatorHandle<>* kBackward, Tensor (*kCurvature)(const Tensor&)>
void curved_gradient(G& c) {
    const Tensor g = c.grad_output();
    const Tensor x = conj(c.argument("self"));
    c.grad("grad_output", [&] { return (*kBackward)(g, x); });
    c.grad("self", [&] { return conj(g) * c.argument("grad_output") * kCurvature(x); });
}
// Piecewise linear functions: no curvature.
template <const OperatorHandle<>* kBackward, std::size_t... kParams>
void flat_gradient(G& c) {
    c.grad(0, [&] { return (*kBackward)(c.grad_output(), c.argument("self"), c.value(kParams)...); });
    c.grad("self", [&] { return fn::zeros_like(c.grad_output()); });
}

void hardswish_gradient(G& c) {
    const Tensor x = c.argument("self");
    c.grad("grad_output", [&] { return fn::hardswish_backward(c.grad_output(), x); });
    c.grad("self", [&] {
        const Tensor inside = fn::lt_scalar(fn::abs(x), Scalar(3));
        return keep_where(c.grad_output() * c.argument("grad_output") / 3, inside);
    });
}
void softplus_gradient(G& c) {
    const Tensor g = c.grad_output();
    const Tensor x = c.argument("self");
    const Scalar beta = c.value("beta").to_scalar(), threshold = c.value("threshold").to_scalar();
    c.grad("grad_output", [&] { return fn::softplus_backward(g, x, beta, threshold); });
    c.grad("self", [&] {
        const Tensor s = fn::sigmoid(x * beta);
        return keep_where(g * c.argument("grad_output") * (s * (1 - s) * beta), fn::le_scalar(x * beta, threshold));
    });
}
void log_sigmoid_gradient(G& c) {
    const Tensor x = c.argument("self");
    c.grad("grad_output", [&] { return fn::log_sigmoid_backward(c.grad_output(), x, x); });
    c.grad("self", [&] {
        const Tensor s = fn::sigmoid(x);
        return c.grad_output() * c.argument("grad_output") * (s * (s - 1));
    });
}
void sigmoid_gradient(G& c) {
    const Tensor y = conj(c.argument("output"));
    c.grad("grad_output", [&] { return fn::sigmoid_backward(c.grad_output(), y); });
    c.grad("output", [&] { return conj(c.grad_output()) * c.argument("grad_output") * (1 - y * 2); });
}
void tanh_gradient(G& c) {
    const Tensor y = conj(c.argument("output"));
    c.grad("grad_output", [&] { return fn::tanh_backward(c.grad_output(), y); });
    c.grad("output", [&] { return conj(c.grad_output()) * c.argument("grad_output") * (y * -2); });
}
// Of complex numbers: g times the conjugate of the slope.
Tensor sigmoid_slope(const Tensor& y) { return (1 - y) * y; }
Tensor tanh_slope(const Tensor& y) { return 1 - y * y; }
Tensor silu_slope(const Tensor& x) {
    const Tensor s = fn::sigmoid(x);
    return s * (1 + x * (1 - s));
}
template <ActivationOp kOp, Tensor (*kSlope)(const Tensor&)>
void complex_too(Arguments arguments, IValue* results) {
    const Tensor g = arguments[0].to_tensor(), x = arguments[1].to_tensor();
    if (is_complex(results[0].to_tensor().dtype()))
        copy_into(results[0].to_tensor(), g * conj(kSlope(x)));
    else
        run_activation(kOp, 2, arguments, results);
}

constexpr OperatorRecord gradient(std::string_view schema, std::string_view summary, Kernel kernel,
                                  BackwardFunction backward, SamplesFunction samples) {
    return {.schema = schema,
            .summary = summary,
            .infer = infer_gradient,
            .kernel = kernel,
            .derivative = {backward, {save_argument(0, 1), save_argument(1)}},
            .samples = samples,
            .variants = kOut,
            .out = {.overload = "grad_input"}};
}
constexpr OperatorRecord complex_gradient(std::string_view schema, std::string_view summary, KernelFunction kernel,
                                          BackwardFunction backward) {
    OperatorRecord record = gradient(schema, summary, FillingKernel{kernel}, backward, backward_samples);
    record.infer = infer_complex_gradient;
    return record;
}
template <int... kNumbers>
std::vector<Sample> with_numbers(Random& random, ScalarType dtype) {
    return with_arguments(backward_samples(random, dtype), {IValue(kNumbers * 0.25)...});
}
std::vector<Sample> leaky_samples(Random& random, ScalarType dtype) {
    return with_arguments(backward_samples(random, dtype), {IValue(0.25), IValue(false)});
}
std::vector<Sample> gelu_samples(Random& random, ScalarType dtype) {
    std::vector<Sample> samples = with_arguments(backward_samples(random, dtype), {IValue("none")});
    for (Sample& s : with_arguments(backward_samples(random, dtype), {IValue("tanh")})) samples.push_back(std::move(s));
    return samples;
}
std::vector<Sample> elu_samples(Random& random, ScalarType dtype) {
    std::vector<Sample> samples;
    for (const bool is_result : {false, true}) {
        for (const Sample& s : backward_samples(random, dtype)) {
            samples.push_back({{s.arguments[0], 1.5, 0.75, 1.25, is_result, s.arguments[1]}, s.name});
        }
    }
    return samples;
}
std::vector<Sample> log_sigmoid_samples(Random& random, ScalarType dtype) {
    std::vector<Sample> samples = backward_samples(random, dtype);
    // What log_sigmoid_forward leaves.
    for (Sample& s : samples) s.arguments.emplace_back(fn::exp(fn::neg(fn::abs(s.arguments[1].to_tensor()))));
    return samples;
}

constexpr OperatorRecord kRecords[] = {
    gradient("aten::threshold_backward(Tensor grad_output, Tensor self, Scalar threshold) -> Tensor",
             "Gradient of relu and threshold.", activation<ActivationOp::ThresholdBackward, 2>,
             flat_gradient<&fn::threshold_backward, 2>, with_numbers<1>)
        .with_formula("grad_output if x > threshold else 0")
        .with_gradient("grad_output: grad where x > threshold, else 0\nself: 0"),
    gradient("aten::hardtanh_backward(Tensor grad_output, Tensor self, Scalar min_val, Scalar max_val) -> Tensor",
             "Gradient of hardtanh.", activation<ActivationOp::HardtanhBackward, 2>,
             flat_gradient<&fn::hardtanh_backward, 2, 3>, with_numbers<-3, 5>)
        .with_formula("grad_output if min_val < x < max_val else 0")
        .with_gradient("grad_output: grad where min_val < x < max_val, else 0\nself: 0"),
    gradient("aten::leaky_relu_backward(Tensor grad_output, Tensor self, Scalar negative_slope, bool self_is_result) "
             "-> Tensor",
             "Gradient of leaky_relu.", activation<ActivationOp::LeakyReluBackward, 2>,
             flat_gradient<&fn::leaky_relu_backward, 2, 3>, leaky_samples)
        .with_formula("grad_output if x > 0 else negative_slope grad_output")
        .with_gradient("grad_output: grad where x > 0, else negative_slope grad\nself: 0"),
    {.schema = "aten::elu_backward(Tensor grad_output, Scalar alpha, Scalar scale, Scalar input_scale, bool is_result, "
               "Tensor "
               "self_or_result) -> Tensor",
     .summary = "Gradient of elu.",
     .formula = "scale grad_output if x > 0 else scale input_scale alpha exp(input_scale x) grad_output",
     .infer = infer_elu_gradient,
     .kernel = FillingKernel{&elu_kernel},
     .derivative = {elu_gradient, {save_argument("grad_output", "self_or_result"), save_argument("self_or_result")}},
     .gradient = "grad_output: grad elu'(x)\nself_or_result: grad grad_output elu''(x)",
     .samples = elu_samples,
     .variants = kOut,
     .out = {.overload = "grad_input"}},
    gradient("aten::gelu_backward(Tensor grad_output, Tensor self, *, str approximate=\"none\") -> Tensor",
             "Gradient of gelu.", FillingKernel{&gelu_kernel}, gelu_gradient, gelu_samples)
        .with_formula("grad_output (Phi(x) + x phi(x))")
        .with_gradient("grad_output: grad (Phi(x) + x phi(x))\nself: grad grad_output phi(x) (2 - x^2)"),
    complex_gradient("aten::silu_backward(Tensor grad_output, Tensor self) -> Tensor", "Gradient of silu.",
                     complex_too<ActivationOp::SiluBackward, silu_slope>,
                     curved_gradient<&fn::silu_backward, silu_curvature>)
        .with_formula("grad_output s (1 + x (1 - s)), s = sigmoid(x)")
        .with_gradient("grad_output: grad s (1 + x (1 - s))\nself: grad grad_output s (1 - s) (2 + x (1 - 2 s))"),
    gradient("aten::mish_backward(Tensor grad_output, Tensor self) -> Tensor", "Gradient of mish.",
             activation<ActivationOp::MishBackward, 2>, curved_gradient<&fn::mish_backward, mish_curvature>,
             backward_samples)
        .with_formula("grad_output (t + x sigmoid(x) (1 - t^2)), t = tanh(softplus(x))")
        .with_gradient("grad_output: grad mish'(x)\nself: grad grad_output mish''(x)"),
    gradient("aten::hardsigmoid_backward(Tensor grad_output, Tensor self) -> Tensor", "Gradient of hardsigmoid.",
             activation<ActivationOp::HardsigmoidBackward, 2>, flat_gradient<&fn::hardsigmoid_backward>,
             backward_samples)
        .with_formula("grad_output / 6 if -3 < x < 3 else 0")
        .with_gradient("grad_output: grad / 6 where -3 < x < 3, else 0\nself: 0"),
    gradient("aten::hardswish_backward(Tensor grad_output, Tensor self) -> Tensor", "Gradient of hardswish.",
             activation<ActivationOp::HardswishBackward, 2>, hardswish_gradient, backward_samples)
        .with_out({})
        .with_formula("grad_output hardswish'(x)")
        .with_gradient("grad_output: grad hardswish'(x)\nself: grad grad_output / 3 where -3 < x < 3, else 0"),
    gradient("aten::softplus_backward(Tensor grad_output, Tensor self, Scalar beta, Scalar threshold) -> Tensor",
             "Gradient of softplus.", activation<ActivationOp::SoftplusBackward, 2>, softplus_gradient,
             with_numbers<6, 3>)
        .with_formula("grad_output sigmoid(beta x)")
        .with_gradient("grad_output: grad sigmoid(beta x)\nself: grad grad_output beta s (1 - s), s = sigmoid(beta x)"),
    gradient("aten::softshrink_backward(Tensor grad_output, Tensor self, Scalar lambd) -> Tensor",
             "Gradient of softshrink.", activation<ActivationOp::SoftshrinkBackward, 2>,
             flat_gradient<&fn::softshrink_backward, 2>, with_numbers<2>)
        .with_formula("grad_output if |x| > lambd else 0")
        .with_gradient("grad_output: grad where |x| > lambd, else 0\nself: 0"),
    gradient("aten::hardshrink_backward(Tensor grad_out, Tensor self, Scalar lambd) -> Tensor",
             "Gradient of hardshrink.", activation<ActivationOp::HardshrinkBackward, 2>,
             flat_gradient<&fn::hardshrink_backward, 2>, with_numbers<2>)
        .with_formula("grad_out if |x| > lambd else 0")
        .with_gradient("grad_out: grad where |x| > lambd, else 0\nself: 0"),
    gradient("aten::log_sigmoid_backward(Tensor grad_output, Tensor self, Tensor buffer) -> Tensor",
             "Gradient of log_sigmoid; the buffer is not used.", activation<ActivationOp::LogSigmoidBackward, 2>,
             log_sigmoid_gradient, log_sigmoid_samples)
        .with_out({.overload = "grad_input", .refusal = out_refusal::kFound})
        .with_formula("grad_output sigmoid(-x)")
        .with_gradient("grad_output: grad sigmoid(-x)\nself: -grad grad_output s (1 - s), s = sigmoid(x)"),
    complex_gradient("aten::sigmoid_backward(Tensor grad_output, Tensor output) -> Tensor",
                     "Gradient of sigmoid, from its output.", complex_too<ActivationOp::SigmoidBackward, sigmoid_slope>,
                     sigmoid_gradient)
        .with_formula("grad_output output (1 - output)")
        .with_gradient("grad_output: grad output (1 - output)\noutput: grad grad_output (1 - 2 output)"),
    complex_gradient("aten::tanh_backward(Tensor grad_output, Tensor output) -> Tensor",
                     "Gradient of tanh, from its output.", complex_too<ActivationOp::TanhBackward, tanh_slope>,
                     tanh_gradient)
        .with_formula("grad_output (1 - output^2)")
        .with_gradient("grad_output: grad (1 - output^2)\noutput: -2 grad grad_output output"),
};

}  // namespace

std::span<const OperatorRecord> pointwise::activation_gradient_records() { return kRecords; }

}  // namespace loupe
