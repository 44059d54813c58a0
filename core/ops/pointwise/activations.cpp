// SPDX-License-Identifier: Apache-2.0
// Activation functions of one tensor. Their gradients are separate operators (activation_gradients.cpp), each one
// pass over memory.

#include "core/dispatch/out_refusals.h"
#include "core/kernels/arithmetic.h"
#include "core/ops/pointwise/family.h"
#include "core/ops/pointwise/pointwise.h"
#include "core/tensor/scalar_range.h"

namespace loupe {
namespace {

using namespace arithmetic;
using namespace pointwise;
using G = GradientContext;

constexpr double kSeluAlpha = 1.6732632423543772848170429916717;
constexpr double kSeluScale = 1.0507009873554804934193349852946;

Scalar scalar_of(const G& c, std::size_t i) { return c.value(i).to_scalar(); }

void gelu_kernel(Arguments arguments, IValue* results) {
    const std::string& approximate = arguments[1].to_string();
    require(approximate == "none" || approximate == "tanh", "approximate argument must be either none or tanh.");
    run_activation(approximate == "none" ? ActivationOp::Gelu : ActivationOp::GeluTanh, 1, arguments, results);
}
void softshrink_kernel(Arguments arguments, IValue* results) {
    const double lambda = arguments[1].to_scalar().to_double();
    require(lambda >= 0, "lambda must be greater or equal to 0, but found to be ", lambda, ".");
    run_activation(ActivationOp::Softshrink, 1, arguments, results);
}
// The one activation that takes complex numbers.
void silu_infer(Arguments arguments, MetaList& outputs) {
    const Tensor self = arguments[0].to_tensor();
    if (!is_complex(self.dtype())) return infer_same_floating(arguments, outputs);
    outputs.push_back({to_dims(self.sizes()), self.dtype(), self.device()});
}
void silu_kernel(Arguments arguments, IValue* results) {
    const Tensor self = arguments[0].to_tensor();
    if (!is_complex(self.dtype())) return run_activation(ActivationOp::Silu, 1, arguments, results);
    fn::copy_(results[0].to_tensor(), self / (fn::exp(-self) + Scalar(1)), false);
}
void silu_gradient(G& c) {
    const Tensor self = c.argument("self");
    if (!is_complex(self.dtype())) return c.set_grad("self", fn::silu_backward(c.grad_output(), self));
    const Tensor s = fn::sigmoid(self);
    c.set_grad("self", c.grad_output() * conj(s * (self * (Scalar(1) - s) + Scalar(1))));
}
void hardtanh_infer(Arguments arguments, MetaList& outputs) {
    require(arguments[0].tensor_impl()->dtype != ScalarType::Bool, "Bool inputs not supported for hardtanh");
    const ScalarType dtype = arguments[0].tensor_impl()->dtype;
    require(!is_complex(dtype), "clamp is not supported for complex types");
    for (const IValue& bound : arguments.subspan(1, 2))
        require_fits(bound.to_scalar(), is_integral(dtype) ? ScalarType::Int64 : dtype);
    require_clamp_range(arguments[1], arguments[2], dtype);
    infer_same(arguments, outputs);
}
void relu_infer(Arguments arguments, MetaList& outputs) {
    require(arguments[0].tensor_impl()->dtype != ScalarType::Bool, "Boolean inputs not supported for relu");
    require(!is_complex(arguments[0].tensor_impl()->dtype), "clamp is not supported for complex types");
    infer_same(arguments, outputs);
}
// Numbers that the kernel computes with in float32 where elements are narrower.
ScalarType wide_number(ScalarType dtype) {
    return is_floating(dtype) && element_size(dtype) < 4 ? ScalarType::Float32 : dtype;
}
void threshold_infer(Arguments arguments, MetaList& outputs) {
    const ScalarType dtype = arguments[0].tensor_impl()->dtype;
    require(dtype != ScalarType::Bool, "not implemented for 'Bool'");
    infer_same_real(arguments, outputs);
    require_fits(arguments[1].to_scalar(), wide_number(dtype));
    require_fits(arguments[2].to_scalar(), dtype);
}
// In the elements' own dtype: -1 of uint8 is 255.
void threshold_kernel(Arguments arguments, IValue* results) {
    const ScalarType dtype = arguments[0].tensor_impl()->dtype;
    if (!is_integral(dtype)) return run_activation(ActivationOp::Threshold, 1, arguments, results);
    const auto own = [&](std::size_t i) { return IValue(item(scalar_tensor(arguments[i].to_scalar(), dtype))); };
    const IValue converted[] = {arguments[0], own(1), own(2)};
    run_activation(ActivationOp::Threshold, 1, converted, results);
}
void leaky_relu_infer(Arguments arguments, MetaList& outputs) {
    infer_same_floating(arguments, outputs);
    require_fits(arguments[1].to_scalar(), wide_number(arguments[0].tensor_impl()->dtype));
}

Tensor relu6(const Tensor& self) { return fn::hardtanh(self, Scalar(0), Scalar(6)); }
Tensor relu6_(const Tensor& self) { return fn::hardtanh_(self, Scalar(0), Scalar(6)); }
Tensor selu(const Tensor& self) { return fn::elu(self, Scalar(kSeluAlpha), Scalar(kSeluScale), Scalar(1)); }
Tensor selu_(const Tensor& self) { return fn::elu_(self, Scalar(kSeluAlpha), Scalar(kSeluScale), Scalar(1)); }
Scalar inverse_alpha(const Scalar& alpha) {
    require(!alpha.equals(0), "ZeroDivisionError: alpha cannot be 0 for CELU");
    return 1.0 / alpha.to_double();
}
Tensor celu(const Tensor& self, const Scalar& alpha) { return fn::elu(self, alpha, Scalar(1), inverse_alpha(alpha)); }
Tensor celu_(const Tensor& self, const Scalar& alpha) { return fn::elu_(self, alpha, Scalar(1), inverse_alpha(alpha)); }
Tensor tanhshrink(const Tensor& self) { return self - fn::tanh(self); }

void elu_in_place(Arguments arguments, IValue* results) {
    MetaList metas;
    infer_same_floating(arguments, metas);
    results[0] = arguments[0];
    constexpr FillingKernel kElu = activation<ActivationOp::Elu>;
    kElu.function(arguments, results);
}

constexpr OperatorRecord activation_record(std::string_view schema, std::string_view summary, std::string_view formula,
                                           Kernel kernel, Derivative derivative, SamplesFunction samples,
                                           InferFunction infer = infer_same_floating) {
    return {.schema = schema,
            .summary = summary,
            .formula = formula,
            .infer = infer,
            .kernel = kernel,
            .derivative = derivative,
            .samples = samples,
            .variants = kInPlace | kOut};
}
constexpr OperatorRecord composite(std::string_view schema, std::string_view summary, KernelFunction function,
                                   SamplesFunction samples) {
    return {.schema = schema, .summary = summary, .composite = function, .samples = samples};
}

template <int... kNumbers>
std::vector<Sample> with_numbers(Random& random, ScalarType dtype) {
    if (!is_floating(dtype)) return {};
    return with_arguments(kink_samples(random, dtype), {IValue(kNumbers * 0.25)...});
}
std::vector<Sample> floating_kinks(Random& random, ScalarType dtype) { return with_numbers<>(random, dtype); }
std::vector<Sample> gelu_samples(Random& random, ScalarType dtype) {
    if (!is_floating(dtype)) return {};
    std::vector<Sample> samples = with_arguments(real_samples(random, dtype), {IValue("none")});
    for (Sample& s : with_arguments(real_samples(random, dtype), {IValue("tanh")})) samples.push_back(std::move(s));
    return samples;
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::relu(Tensor self) -> Tensor",
     .summary = "Negative elements become 0.",
     .formula = "max(x, 0)",
     .infer = relu_infer,
     .kernel = activation<ActivationOp::Relu>,
     .derivative = {[](G& c) { c.set_grad("self", fn::threshold_backward(c.grad_output(), c.result(), Scalar(0))); },
                    {save_result()}},
     .gradient = "self: grad where out > 0, else 0",
     .samples = kink_samples,
     .variants = kInPlace | kOut,
     .is_rectifier = true,
     .dtypes = {kWithUnsigned, "clamp_min_scalar_cpu"}},
    {.schema = "aten::hardtanh(Tensor self, Scalar min_val=-1, Scalar max_val=1) -> Tensor",
     .summary = "Clips to [min_val, max_val].",
     .formula = "min(max(x, min_val), max_val)",
     .infer = hardtanh_infer,
     .kernel = activation<ActivationOp::Hardtanh>,
     .derivative = {[](G& c) {
                        c.set_grad("self", fn::hardtanh_backward(c.grad_output(), c.argument("self"), scalar_of(c, 1),
                                                                 scalar_of(c, 2)));
                    },
                    {save_argument("self")}},
     .gradient = "self: grad where min_val < x < max_val, else 0",
     .samples = with_numbers<-3, 5>,
     .variants = kInPlace | kOut,
     .out = {.refusal = out_refusal::kFound},
     .is_rectifier = true,
     .dtypes = {kWithUnsigned, "clamp_scalar_cpu"}},
    activation_record(
        "aten::leaky_relu(Tensor self, Scalar negative_slope=0.01) -> Tensor", "Negative elements are scaled.",
        "x if x > 0 else negative_slope x", activation<ActivationOp::LeakyRelu>,
        {[](G& c) {
             c.set_grad("self", fn::leaky_relu_backward(c.grad_output(), c.argument("self"), scalar_of(c, 1), false));
         },
         {save_argument("self")}},
        with_numbers<1>, leaky_relu_infer)
        .with_out({.refusal = out_refusal::kFound})
        .with_gradient("self: grad where x > 0, else negative_slope grad"),
    {.schema = "aten::elu(Tensor self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor",
     .summary = "Exponential linear unit.",
     .formula = "scale (x if x > 0 else alpha (exp(input_scale x) - 1))",
     .infer = infer_same_floating,
     .kernel = activation<ActivationOp::Elu>,
     .derivative = {[](G& c) {
                        c.set_grad("self", fn::elu_backward(c.grad_output(), scalar_of(c, 1), scalar_of(c, 2),
                                                            scalar_of(c, 3), false, c.argument("self")));
                    },
                    {save_argument("self")}},
     .gradient = "self: scale grad where x > 0, else scale input_scale alpha exp(input_scale x) grad",
     .samples = with_numbers<5, 3, 6>,
     .variants = kOut,
     .out = {.refusal = out_refusal::kFound}},
    {.schema = "aten::elu_(Tensor(a!) self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor(a!)",
     .summary = "Exponential linear unit in place; its gradient comes from the result, which alone is left.",
     .formula = "scale (x if x > 0 else alpha (exp(input_scale x) - 1))",
     .results_from = ResultsFrom::Metadata,
     .kernel = &elu_in_place,
     .derivative = {[](G& c) {
                        c.set_grad("self", fn::elu_backward(c.grad_output(), scalar_of(c, 1), scalar_of(c, 2),
                                                            scalar_of(c, 3), true, c.result()));
                    },
                    {save_result()},
                    "EluBackward1"},
     .gradient = "self: scale grad where out > 0, else input_scale (out + scale alpha) grad",
     .samples = with_numbers<5, 3, 6>},
    activation_record("aten::gelu(Tensor self, *, str approximate=\"none\") -> Tensor",
                      "Gaussian error linear unit, exact or with a tanh.", "x Phi(x)", FillingKernel{&gelu_kernel},
                      {[](G& c) {
                           c.set_grad("self",
                                      fn::gelu_backward(c.grad_output(), c.argument("self"), c.value("approximate")));
                       },
                       {save_argument("self")}},
                      gelu_samples)
        .with_dtypes({.kernel = "GeluKernelImpl"})
        .with_out({.refusal = out_refusal::kFound})
        .with_gradient("self: grad (Phi(x) + x phi(x)), phi(x) = exp(-x^2 / 2) / sqrt(2 pi)"),
    activation_record("aten::silu(Tensor self) -> Tensor", "Sigmoid-weighted linear unit (swish).", "x sigmoid(x)",
                      FillingKernel{silu_kernel}, {silu_gradient, {save_argument("self")}}, floating_kinks, silu_infer)
        .with_out({.refusal = out_refusal::kFound})
        .with_gradient("self: grad s (1 + x (1 - s)), s = sigmoid(x)"),
    activation_record("aten::mish(Tensor self) -> Tensor",
                      "Self-regularised activation: x times the tanh of its softplus.", "x tanh(softplus(x))",
                      activation<ActivationOp::Mish>,
                      {[](G& c) { c.set_grad("self", fn::mish_backward(c.grad_output(), c.argument("self"))); },
                       {save_argument("self")}},
                      floating_kinks)
        .with_out({.refusal = out_refusal::kFound})
        .with_gradient("self: grad (t + x sigmoid(x) (1 - t^2)), t = tanh(softplus(x))"),
    activation_record("aten::hardsigmoid(Tensor self) -> Tensor", "Piecewise linear sigmoid.",
                      "min(max(x + 3, 0), 6) / 6", activation<ActivationOp::Hardsigmoid>,
                      {[](G& c) { c.set_grad("self", fn::hardsigmoid_backward(c.grad_output(), c.argument("self"))); },
                       {save_argument("self")}},
                      floating_kinks)
        .with_out({.refusal = out_refusal::kFound})
        .with_gradient("self: grad / 6 where -3 < x < 3, else 0"),
    activation_record("aten::hardswish(Tensor self) -> Tensor", "Piecewise quadratic swish.",
                      "x min(max(x + 3, 0), 6) / 6", activation<ActivationOp::Hardswish>,
                      {[](G& c) { c.set_grad("self", fn::hardswish_backward(c.grad_output(), c.argument("self"))); },
                       {save_argument("self")}},
                      floating_kinks)
        .with_out({.refusal = out_refusal::kFound})
        .with_gradient("self: 0 where x < -3, grad where x > 3, else grad (x / 3 + 1 / 2)"),
    activation_record(
        "aten::softplus(Tensor self, Scalar beta=1, Scalar threshold=20) -> Tensor",
        "Smooth relu; linear above the threshold.", "ln(1 + exp(beta x)) / beta", activation<ActivationOp::Softplus>,
        {[](G& c) {
             c.set_grad("self",
                        fn::softplus_backward(c.grad_output(), c.argument("self"), scalar_of(c, 1), scalar_of(c, 2)));
         },
         {save_argument("self")}},
        with_numbers<6, 3>)
        .with_autocast({.cuda = Autocast::Float32})
        .with_out({.refusal = out_refusal::kFound})
        .with_gradient("self: grad sigmoid(beta x), grad where beta x > threshold"),
    activation_record("aten::softshrink(Tensor self, Scalar lambd=0.5) -> Tensor", "Shrinks towards 0 by lambd.",
                      "x - lambd if x > lambd, x + lambd if x < -lambd, else 0", FillingKernel{&softshrink_kernel},
                      {[](G& c) {
                           c.set_grad("self",
                                      fn::softshrink_backward(c.grad_output(), c.argument("self"), scalar_of(c, 1)));
                       },
                       {save_argument("self")}},
                      with_numbers<2>)
        .with_dtypes({.kernel = "softshrink_check"})
        .with_out({.refusal = out_refusal::kFound})
        .with_gradient("self: grad where |x| > lambd, else 0"),
    activation_record(
        "aten::hardshrink(Tensor self, Scalar lambd=0.5) -> Tensor", "Elements within lambd of 0 become 0.",
        "x if |x| > lambd else 0", activation<ActivationOp::Hardshrink>,
        {[](G& c) {
             c.set_grad("self", fn::hardshrink_backward(c.grad_output(), c.argument("self"), scalar_of(c, 1)));
         },
         {save_argument("self")}},
        with_numbers<2>)
        .with_out({.refusal = out_refusal::kFound})
        .with_gradient("self: grad where |x| > lambd, else 0"),
    {.schema = "aten::threshold(Tensor self, Scalar threshold, Scalar value) -> Tensor",
     .summary = "Elements at or below the threshold become value.",
     .formula = "x if x > threshold else value",
     .infer = threshold_infer,
     .kernel = FillingKernel{&threshold_kernel},
     .derivative = {[](G& c) {
                        c.set_grad("self",
                                   fn::threshold_backward(c.grad_output(), c.argument("self"), scalar_of(c, 1)));
                    },
                    {save_argument("self")}},
     .gradient = "self: grad where x > threshold, else 0",
     .samples = with_numbers<1, 8>,
     .variants = kInPlace | kOut,
     .is_rectifier = true},
    {.schema = "aten::log_sigmoid(Tensor self) -> Tensor",
     .summary = "Logarithm of the sigmoid.",
     .formula = "-ln(1 + exp(-x))",
     .infer = infer_same_floating,
     .kernel = activation<ActivationOp::LogSigmoid>,
     .derivative = {[](G& c) {
                        const Tensor x = c.argument("self");
                        c.set_grad("self", fn::log_sigmoid_backward(c.grad_output(), x, x));
                    },
                    {save_argument("self")}},
     .gradient = "self: grad sigmoid(-x)",
     .samples = floating_kinks,
     .variants = kOut,
     .out = {.refusal = out_refusal::kScalarType}},
    composite("aten::relu6(Tensor self) -> Tensor", "Clips to [0, 6].", boxed<relu6>, floating_kinks)
        .with_rectifier()
        .with_formula("min(max(x, 0), 6)")
        .with_gradient("self: grad where 0 < x < 6, else 0"),
    composite("aten::relu6_(Tensor(a!) self) -> Tensor(a!)", "Clips to [0, 6] in place.", boxed<relu6_>, nullptr)
        .with_rectifier()
        .with_formula("min(max(x, 0), 6)")
        .with_gradient("self: grad where 0 < x < 6, else 0"),
    composite("aten::selu(Tensor self) -> Tensor", "Self-normalising exponential linear unit.", boxed<selu>,
              floating_kinks)
        .with_formula("scale (x if x > 0 else alpha (exp(x) - 1)), scale = 1.0507, alpha = 1.6733")
        .with_gradient("self: scale grad where x > 0, else scale alpha exp(x) grad"),
    composite("aten::selu_(Tensor(a!) self) -> Tensor(a!)", "The same as selu, in place.", boxed<selu_>, nullptr)
        .with_formula("scale (x if x > 0 else alpha (exp(x) - 1)), scale = 1.0507, alpha = 1.6733")
        .with_gradient("self: scale grad where x > 0, else scale alpha exp(x) grad"),
    composite("aten::celu(Tensor self, Scalar alpha=1.) -> Tensor", "Continuously differentiable elu.", boxed<celu>,
              with_numbers<6>)
        .with_out({})
        .with_formula("max(0, x) + min(0, alpha (exp(x / alpha) - 1))")
        .with_gradient("self: grad where x > 0, else exp(x / alpha) grad"),
    composite("aten::celu_(Tensor(a!) self, Scalar alpha=1.) -> Tensor(a!)", "The same as celu, in place.",
              boxed<celu_>, nullptr)
        .with_formula("max(0, x) + min(0, alpha (exp(x / alpha) - 1))")
        .with_gradient("self: grad where x > 0, else exp(x / alpha) grad"),
    composite("aten::tanhshrink(Tensor self) -> Tensor", "What tanh takes away from each element.", boxed<tanhshrink>,
              floating_kinks)
        .with_formula("x - tanh(x)")
        .with_gradient("self: grad tanh(x)^2"),
};

}  // namespace

std::span<const OperatorRecord> pointwise::activation_records() { return kRecords; }

}  // namespace loupe
