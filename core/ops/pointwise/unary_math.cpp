// SPDX-License-Identifier: Apache-2.0
// Functions of one number: powers and roots, exponentials and logarithms, trigonometric and special functions.

#include <cmath>
#include <limits>
#include <numbers>

#include "core/dispatch/out_refusals.h"
#include "core/kernels/arithmetic.h"
#include "core/kernels/integer_math.h"
#include "core/ops/not_finite.h"
#include "core/ops/pointwise/family.h"
#include "core/ops/pointwise/pointwise.h"
#include "core/ops/sparse/sparse.h"

namespace loupe {
namespace {

using namespace arithmetic;
using namespace pointwise;
using G = GradientContext;

constexpr double kLn2 = std::numbers::ln2;
constexpr double kLn10 = std::numbers::ln10;
const OperatorHandle<> kI1("aten::special_i1");
const double kTwoOverSqrtPi = 2 / std::sqrt(std::numbers::pi);

// Integers give float32; complex numbers are taken.
constexpr OperatorRecord function(std::string_view schema, std::string_view summary, std::string_view formula,
                                  Kernel kernel, Derivative derivative, SamplesFunction samples = unary_samples) {
    return {.schema = schema,
            .summary = summary,
            .formula = formula,
            .infer = infer_float,
            .kernel = kernel,
            .derivative = derivative,
            .samples = samples,
            .variants = kInPlace | kOut};
}
// Real numbers only.
constexpr OperatorRecord real_function(std::string_view schema, std::string_view summary, std::string_view formula,
                                       Kernel kernel, Derivative derivative, SamplesFunction samples = real_samples) {
    OperatorRecord record = function(schema, summary, formula, kernel, derivative, samples);
    record.infer = infer_float_real;
    return record;
}
constexpr OperatorRecord alias(std::string_view schema, std::string_view summary, KernelFunction composite,
                               SamplesFunction samples = unary_samples) {
    return {.schema = schema, .summary = summary, .composite = composite, .samples = samples};
}

template <const OperatorHandle<>* kTarget>
Tensor same_as(const Tensor& self) {
    return (*kTarget)(self);
}

// 1 / sqrt(1 - x^2)
Tensor arc_slope(const Tensor& x) { return fn::rsqrt(1 - x * x); }

void tanh_gradient(G& c) {
    const Tensor y = c.result();
    if (is_complex(y.dtype()))
        c.set_grad("self", c.grad_output() * conj(1 - y * y));
    else
        c.set_grad("self", fn::tanh_backward(c.grad_output(), y));
}
void sigmoid_gradient(G& c) {
    const Tensor y = c.result();
    if (is_complex(y.dtype()))
        c.set_grad("self", c.grad_output() * conj((1 - y) * y));
    else
        c.set_grad("self", fn::sigmoid_backward(c.grad_output(), y));
}

bool is_bfloat16(const IValue& v) { return v.tensor_impl()->dtype == ScalarType::BFloat16; }

void sinc_kernel(Arguments arguments, IValue* results) {
    const Scalar narrow = is_bfloat16(results[0]);
    run_unary(UnaryOp::Sinc, arguments, results, &narrow);
}
void logit_kernel(Arguments arguments, IValue* results) {
    const Scalar params[] = {arguments[1].is_none() ? Scalar(-1.0) : arguments[1].to_scalar(), is_bfloat16(results[0])};
    run_unary(UnaryOp::Logit, arguments, results, params);
}
void logit_backward(G& c) {
    const Tensor x = c.argument("self");
    const Tensor slope = c.grad_output() / (x * (1 - x));
    if (c.value("eps").is_none()) {
        const Tensor outside = fn::logical_or(fn::lt_scalar(x, Scalar(0)), fn::gt_scalar(x, Scalar(1)));
        c.set_grad("self", fn::masked_fill(slope, outside, Scalar(std::numeric_limits<double>::quiet_NaN())));
        return;
    }
    const double epsilon = c.value("eps").to_double();
    const Tensor inside = fn::logical_and(fn::ge_scalar(x, Scalar(epsilon)), fn::le_scalar(x, Scalar(1 - epsilon)));
    c.set_grad("self", keep_where(slope, inside));
}

void polygamma_infer(Arguments arguments, MetaList& outputs) {
    require(arguments[0].to_int() >= 0, "polygamma(n, x) does not support negative n.");
    infer_float_real(arguments.subspan(1), outputs);
}
void polygamma_kernel(Arguments arguments, IValue* results) {
    const Scalar order = arguments[0].to_scalar();
    run_unary(UnaryOp::Polygamma, arguments.subspan(1), results, &order);
}

std::vector<Sample> logit_samples(Random& random, ScalarType dtype) {
    if (!is_floating(dtype)) return {};
    std::vector<Sample> samples;
    for (Sample& s : unit_samples(random, dtype)) {
        const Tensor p = (s.arguments[0].to_tensor() + 1.0) * 0.4 + 0.05;
        samples.push_back({{p, IValue()}, s.name});
        samples.push_back({{p, 0.1}, s.name});
    }
    return samples;
}

// As the power with 2, an integer: of truth values it is int64.
void infer_square(Arguments arguments, MetaList& outputs) {
    const Tensor self = arguments[0].to_tensor();
    outputs.push_back(same_meta(self, self.dtype() == ScalarType::Bool ? ScalarType::Int64 : self.dtype()));
}

using In = NotFiniteNote::In;
using When = NotFiniteNote::When;
using Makes = NotFiniteNote::Makes;
constexpr NotFiniteNote kSqrtNotFinite[] = {
    {In::Forward, When::Negative, 0, "sqrt of a negative number", "clamp it before: x.clamp(min=0).sqrt()", Makes::Nan},
    {In::Backward, When::Zero, -1, "sqrt at 0", advice::kRoot},
};
constexpr NotFiniteNote kRsqrtNotFinite[] = {
    {In::Forward, When::Negative, 0, "rsqrt of a negative number", "clamp it before: x.clamp(min=1e-12).rsqrt()",
     Makes::Nan},
    {In::Either, When::Zero, 0, "rsqrt at 0", "add an eps under the root: torch.rsqrt(x + 1e-12)"},
};
constexpr NotFiniteNote kReciprocalNotFinite[] = {
    {In::Either, When::Zero, 0, "1 / 0", advice::kDivide},
};
constexpr NotFiniteNote kSquareNotFinite[] = {
    {In::Forward, When::Always, 0, "a square that leaves the range of its dtype", advice::kShrink},
};
constexpr NotFiniteNote kLogNotFinite[] = {
    {In::Forward, When::Negative, 0, "log of a negative number", advice::kLogits, Makes::Nan},
    {In::Either, When::Zero, 0, "log at 0", advice::kLogits},
};
constexpr NotFiniteNote kLog2NotFinite[] = {
    {In::Forward, When::Negative, 0, "log2 of a negative number", advice::kLogits, Makes::Nan},
    {In::Either, When::Zero, 0, "log2 at 0", advice::kLogits},
};
constexpr NotFiniteNote kLog10NotFinite[] = {
    {In::Forward, When::Negative, 0, "log10 of a negative number", advice::kLogits, Makes::Nan},
    {In::Either, When::Zero, 0, "log10 at 0", advice::kLogits},
};
constexpr NotFiniteNote kLog1pNotFinite[] = {
    {In::Either, When::AtMinusOne, 0, "log1p at -1 or below", "clamp it above -1 before"},
};
constexpr NotFiniteNote kLogitNotFinite[] = {
    {In::Either, When::AtOne, 0, "logit at 1", "give logit its eps: torch.logit(x, eps=1e-6)"},
    {In::Either, When::Zero, 0, "logit at 0", "give logit its eps: torch.logit(x, eps=1e-6)"},
    {In::Forward, When::Negative, 0, "logit of a number outside (0, 1)", "give logit its eps: torch.logit(x, eps=1e-6)",
     Makes::Nan},
};
constexpr NotFiniteNote kExpNotFinite[] = {
    {In::Forward, When::Always, 0, "exp of a number whose exponential leaves the range of its dtype",
     advice::kExponent},
};
constexpr NotFiniteNote kExp2NotFinite[] = {
    {In::Forward, When::Always, 0, "exp2 of a number whose power leaves the range of its dtype", advice::kExponent},
};
constexpr NotFiniteNote kExpm1NotFinite[] = {
    {In::Forward, When::Always, 0, "expm1 of a number whose exponential leaves the range of its dtype",
     advice::kExponent},
};
constexpr NotFiniteNote kSinhNotFinite[] = {
    {In::Forward, When::Great, 0, "sinh of a great number", "clamp what goes in"},
};
constexpr NotFiniteNote kCoshNotFinite[] = {
    {In::Forward, When::Great, 0, "cosh of a great number", "clamp what goes in"},
};
constexpr NotFiniteNote kAsinNotFinite[] = {
    {In::Forward, When::BeyondOne, 0, "asin of a number outside [-1, 1]", advice::kClampOne},
    {In::Backward, When::AtOne, 0, "asin at 1 or -1, where its derivative is infinite", advice::kClampOne},
};
constexpr NotFiniteNote kAcosNotFinite[] = {
    {In::Forward, When::BeyondOne, 0, "acos of a number outside [-1, 1]", advice::kClampOne},
    {In::Backward, When::AtOne, 0, "acos at 1 or -1, where its derivative is infinite", advice::kClampOne},
};
constexpr NotFiniteNote kAtanhNotFinite[] = {
    {In::Either, When::AtOne, 0, "atanh at or beyond 1", advice::kClampOne},
};
constexpr NotFiniteNote kErfinvNotFinite[] = {
    {In::Either, When::AtOne, 0, "erfinv at or beyond 1", advice::kClampOne},
};
constexpr NotFiniteNote kAcoshNotFinite[] = {
    {In::Either, When::BelowOne, 0, "acosh below 1", "clamp it before: x.clamp(min=1 + 1e-7)"},
    {In::Backward, When::Always, 0, "acosh at 1, where its derivative is infinite",
     "clamp it before: x.clamp(min=1 + 1e-7)"},
};
constexpr NotFiniteNote kLgammaNotFinite[] = {
    {In::Either, When::Negative, 0, "lgamma at 0 or a negative whole number", "clamp it above 0 before"},
    {In::Either, When::Zero, 0, "lgamma at 0", "clamp it above 0 before"},
};
constexpr NotFiniteNote kDigammaNotFinite[] = {
    {In::Either, When::Zero, 0, "digamma at 0", "clamp it above 0 before"},
};

constexpr OperatorRecord kRecords[] = {
    function("aten::exp(Tensor self) -> Tensor", "e to the power of each element.", "exp(x)", unary<UnaryOp::Exp>,
             {[](G& c) { c.set_grad("self", c.grad_output() * conj(c.result())); }, {save_result()}})
        .with_dtypes({kWithUnsigned, "exp_vml_cpu"})
        .with_autocast({.cuda = Autocast::Float32})
        .with_gradient("self: grad out")
        .with_not_finite(kExpNotFinite),
    function("aten::exp2(Tensor self) -> Tensor", "2 to the power of each element.", "2^x", unary<UnaryOp::Exp2>,
             {[](G& c) { c.set_grad("self", c.grad_output() * conj(c.result()) * kLn2); }, {save_result()}})
        .with_dtypes({kWithUnsigned, "exp2"})
        .with_gradient("self: grad out ln(2)")
        .with_not_finite(kExp2NotFinite),
    function("aten::expm1(Tensor self) -> Tensor", "Exponential minus 1, exact near 0.", "exp(x) - 1",
             unary<UnaryOp::Expm1>,
             {[](G& c) { c.set_grad("self", c.grad_output() * (conj(c.result()) + 1)); }, {save_result()}})
        .with_dtypes({kWithUnsigned, "expm1_vml_cpu"})
        .with_autocast({.cuda = Autocast::Float32})
        .with_sparse({.run = on_sparse::coalesced_values})
        .with_gradient("self: grad (out + 1)")
        .with_not_finite(kExpm1NotFinite),
    function("aten::log(Tensor self) -> Tensor", "Natural logarithm of each element.", "ln(x)", unary<UnaryOp::Log>,
             {[](G& c) { c.set_grad("self", c.grad_output() / conj(c.argument("self"))); }, {save_argument("self")}},
             positive_samples)
        .with_dtypes({kWithUnsigned, "log_vml_cpu"})
        .with_autocast({.cuda = Autocast::Float32})
        .with_gradient("self: grad / x")
        .with_not_finite(kLogNotFinite),
    function("aten::log2(Tensor self) -> Tensor", "Logarithm to base 2 of each element.", "log2(x)",
             unary<UnaryOp::Log2>,
             {[](G& c) { c.set_grad("self", c.grad_output() / (conj(c.argument("self")) * kLn2)); },
              {save_argument("self")}},
             positive_samples)
        .with_dtypes({kWithUnsigned, "log2_vml_cpu"})
        .with_autocast({.cuda = Autocast::Float32})
        .with_gradient("self: grad / (x ln(2))")
        .with_not_finite(kLog2NotFinite),
    function("aten::log10(Tensor self) -> Tensor", "Logarithm to base 10 of each element.", "log10(x)",
             unary<UnaryOp::Log10>,
             {[](G& c) { c.set_grad("self", c.grad_output() / (conj(c.argument("self")) * kLn10)); },
              {save_argument("self")}},
             positive_samples)
        .with_dtypes({kWithUnsigned, "log10_vml_cpu"})
        .with_autocast({.cuda = Autocast::Float32})
        .with_gradient("self: grad / (x ln(10))")
        .with_not_finite(kLog10NotFinite),
    function(
        "aten::log1p(Tensor self) -> Tensor", "Natural logarithm of 1 + x, exact near 0.", "ln(1 + x)",
        unary<UnaryOp::Log1p>,
        {[](G& c) { c.set_grad("self", c.grad_output() / (conj(c.argument("self")) + 1)); }, {save_argument("self")}},
        positive_samples)
        .with_dtypes({kWithUnsigned, "log1p_vml_cpu"})
        .with_autocast({.cuda = Autocast::Float32})
        .with_sparse({.run = on_sparse::coalesced_values})
        .with_gradient("self: grad / (x + 1)")
        .with_not_finite(kLog1pNotFinite),
    function("aten::sqrt(Tensor self) -> Tensor", "Square root of each element.", "sqrt(x)", unary<UnaryOp::Sqrt>,
             {[](G& c) { c.set_grad("self", c.grad_output() / (2 * conj(c.result()))); }, {save_result()}},
             positive_samples)
        .with_dtypes({kWithUnsigned, "sqrt_vml_cpu"})
        .with_sparse({.run = on_sparse::coalesced_values})
        .with_sparse({.run = on_sparse::coalesced_values})
        .with_gradient("self: grad / (2 out)")
        .with_not_finite(kSqrtNotFinite),
    function("aten::rsqrt(Tensor self) -> Tensor", "Reciprocal of the square root of each element.", "1 / sqrt(x)",
             unary<UnaryOp::Rsqrt>,
             {[](G& c) { c.set_grad("self", c.grad_output() * fn::pow_scalar(conj(c.result()), Scalar(3)) * -0.5); },
              {save_result()}},
             positive_samples)
        .with_dtypes({kWithUnsigned})
        .with_autocast({.cuda = Autocast::Float32})
        .with_gradient("self: -grad out^3 / 2")
        .with_not_finite(kRsqrtNotFinite),
    function("aten::reciprocal(Tensor self) -> Tensor", "One over each element.", "1 / x", unary<UnaryOp::Reciprocal>,
             {[](G& c) {
                  const Tensor y = conj(c.result());
                  c.set_grad("self", -c.grad_output() * (y * y));
              },
              {save_result()}},
             positive_samples)
        .with_dtypes({kWithUnsigned})
        .with_autocast({.cuda = Autocast::Float32})
        .with_gradient("self: -grad out^2")
        .with_not_finite(kReciprocalNotFinite),
    {.schema = "aten::square(Tensor self) -> Tensor",
     .summary = "Square of each element.",
     .formula = "x^2",
     .infer = infer_square,
     .kernel = unary<UnaryOp::Square>,
     .derivative = {[](G& c) { c.set_grad("self", c.grad_output() * (conj(c.argument("self")) * 2)); },
                    {save_argument("self")},
                    "PowBackward0"},
     .gradient = "self: 2 grad x",
     .samples = unary_samples,
     .variants = kInPlace | kOut,
     .out = {.refusal = out_refusal::kFound},
     .sparse = {.run = on_sparse::coalesced_values},
     .not_finite = kSquareNotFinite},

    function("aten::sin(Tensor self) -> Tensor", "Sine of each element.", "sin(x)", unary<UnaryOp::Sin>,
             {[](G& c) { c.set_grad("self", c.grad_output() * fn::cos(conj(c.argument("self")))); },
              {save_argument("self")}})
        .with_dtypes({kWithUnsigned, "sin_vml_cpu"})
        .with_sparse({.run = on_sparse::coalesced_values})
        .with_gradient("self: grad cos(x)"),
    function("aten::cos(Tensor self) -> Tensor", "Cosine of each element.", "cos(x)", unary<UnaryOp::Cos>,
             {[](G& c) { c.set_grad("self", c.grad_output() * -fn::sin(conj(c.argument("self")))); },
              {save_argument("self")}})
        .with_dtypes({kWithUnsigned, "cos_vml_cpu"})
        .with_gradient("self: -grad sin(x)"),
    function("aten::tan(Tensor self) -> Tensor", "Tangent of each element.", "tan(x)", unary<UnaryOp::Tan>,
             {[](G& c) {
                  const Tensor y = conj(c.result());
                  c.set_grad("self", c.grad_output() * (1 + y * y));
              },
              {save_result()}})
        .with_dtypes({kWithUnsigned, "tan_vml_cpu"})
        .with_autocast({.cuda = Autocast::Float32})
        .with_sparse({.run = on_sparse::coalesced_values})
        .with_gradient("self: grad (1 + out^2)"),
    function("aten::asin(Tensor self) -> Tensor", "Arc sine of each element.", "arcsin(x)", unary<UnaryOp::Asin>,
             {[](G& c) { c.set_grad("self", c.grad_output() * arc_slope(conj(c.argument("self")))); },
              {save_argument("self")}},
             unit_samples)
        .with_dtypes({kWithUnsigned, "asin_vml_cpu"})
        .with_autocast({.cuda = Autocast::Float32})
        .with_sparse({.run = on_sparse::coalesced_values})
        .with_gradient("self: grad / sqrt(1 - x^2)")
        .with_not_finite(kAsinNotFinite),
    function("aten::acos(Tensor self) -> Tensor", "Arc cosine of each element.", "arccos(x)", unary<UnaryOp::Acos>,
             {[](G& c) { c.set_grad("self", c.grad_output() * -arc_slope(conj(c.argument("self")))); },
              {save_argument("self")}},
             unit_samples)
        .with_dtypes({kWithUnsigned, "acos_vml_cpu"})
        .with_autocast({.cuda = Autocast::Float32})
        .with_gradient("self: -grad / sqrt(1 - x^2)")
        .with_not_finite(kAcosNotFinite),
    function("aten::atan(Tensor self) -> Tensor", "Arc tangent of each element.", "arctan(x)", unary<UnaryOp::Atan>,
             {[](G& c) {
                  const Tensor x = conj(c.argument("self"));
                  c.set_grad("self", c.grad_output() / (1 + x * x));
              },
              {save_argument("self")}})
        .with_dtypes({kWithUnsigned, "atan_vml_cpu"})
        .with_sparse({.run = on_sparse::coalesced_values})
        .with_gradient("self: grad / (1 + x^2)"),
    function("aten::sinh(Tensor self) -> Tensor", "Hyperbolic sine of each element.", "sinh(x)", unary<UnaryOp::Sinh>,
             {[](G& c) { c.set_grad("self", c.grad_output() * fn::cosh(conj(c.argument("self")))); },
              {save_argument("self")}})
        .with_dtypes({kWithUnsigned})
        .with_autocast({.cuda = Autocast::Float32})
        .with_sparse({.run = on_sparse::coalesced_values})
        .with_gradient("self: grad cosh(x)")
        .with_not_finite(kSinhNotFinite),
    function("aten::cosh(Tensor self) -> Tensor", "Hyperbolic cosine of each element.", "cosh(x)", unary<UnaryOp::Cosh>,
             {[](G& c) { c.set_grad("self", c.grad_output() * fn::sinh(conj(c.argument("self")))); },
              {save_argument("self")}})
        .with_dtypes({kWithUnsigned})
        .with_autocast({.cuda = Autocast::Float32})
        .with_gradient("self: grad sinh(x)")
        .with_not_finite(kCoshNotFinite),
    function("aten::tanh(Tensor self) -> Tensor", "Hyperbolic tangent of each element.", "tanh(x)",
             unary<UnaryOp::Tanh>, {tanh_gradient, {save_result()}})
        .with_dtypes({kWithUnsigned, "tanh_vml_cpu"})
        .with_sparse({.run = on_sparse::coalesced_values})
        .with_gradient("self: grad (1 - out^2)"),
    function("aten::asinh(Tensor self) -> Tensor", "Inverse hyperbolic sine of each element.", "arsinh(x)",
             unary<UnaryOp::Asinh>,
             {[](G& c) {
                  const Tensor x = conj(c.argument("self"));
                  c.set_grad("self", c.grad_output() * fn::rsqrt(x * x + 1));
              },
              {save_argument("self")}})
        .with_dtypes({kWithUnsigned})
        .with_sparse({.run = on_sparse::coalesced_values})
        .with_gradient("self: grad / sqrt(x^2 + 1)"),
    function("aten::acosh(Tensor self) -> Tensor", "Inverse hyperbolic cosine of each element.", "arcosh(x)",
             unary<UnaryOp::Acosh>,
             {[](G& c) {
                  const Tensor x = conj(c.argument("self"));
                  // Of real numbers below -1 too, as PyTorch has it.
                  const Tensor slope =
                      is_complex(x.dtype()) ? fn::rsqrt(x - 1) * fn::rsqrt(x + 1) : fn::rsqrt((x - 1) * (x + 1));
                  c.set_grad("self", c.grad_output() * slope);
              },
              {save_argument("self")}},
             above_one_samples)
        .with_dtypes({kWithUnsigned})
        .with_gradient("self: grad / (sqrt(x - 1) sqrt(x + 1))")
        .with_not_finite(kAcoshNotFinite),
    function("aten::atanh(Tensor self) -> Tensor", "Inverse hyperbolic tangent of each element.", "artanh(x)",
             unary<UnaryOp::Atanh>,
             {[](G& c) {
                  const Tensor x = conj(c.argument("self"));
                  c.set_grad("self", c.grad_output() / (1 - x * x));
              },
              {save_argument("self")}},
             unit_samples)
        .with_dtypes({kWithUnsigned})
        .with_sparse({.run = on_sparse::coalesced_values})
        .with_gradient("self: grad / (1 - x^2)")
        .with_not_finite(kAtanhNotFinite),
    {.schema = "aten::sinc(Tensor self) -> Tensor",
     .summary = "Normalised sinc of each element.",
     .formula = "sin(pi x) / (pi x), 1 at 0",
     .infer = infer_float,
     .kernel = FillingKernel{&sinc_kernel},
     .derivative = {[](G& c) {
                        const Tensor x = c.argument("self");
                        const Tensor scaled_x = x * std::numbers::pi;
                        const Tensor slope = (scaled_x * fn::cos(scaled_x) - fn::sin(scaled_x)) / (scaled_x * x);
                        c.set_grad("self", c.grad_output() *
                                               conj(fn::masked_fill(slope, fn::eq_scalar(x, Scalar(0)), Scalar(0.0))));
                    },
                    {save_argument("self")}},
     .gradient = "self: grad (pi x cos(pi x) - sin(pi x)) / (pi x^2), 0 at 0",
     .samples = unary_samples,
     .variants = kInPlace | kOut,
     .dtypes = {kWithUnsigned}},

    function("aten::sigmoid(Tensor self) -> Tensor", "Logistic function of each element: between 0 and 1.",
             "1 / (1 + exp(-x))", unary<UnaryOp::Sigmoid>, {sigmoid_gradient, {save_result()}})
        .with_dtypes({kWithUnsigned, "sigmoid_cpu_reduced_float"})
        .with_gradient("self: grad out (1 - out)"),
    {.schema = "aten::logit(Tensor self, float? eps=None) -> Tensor",
     .summary = "Inverse of the sigmoid; eps clamps the argument to [eps, 1 - eps].",
     .formula = "ln(x / (1 - x))",
     .infer = infer_float_real,
     .kernel = FillingKernel{&logit_kernel},
     .derivative = {logit_backward, {save_argument("self")}},
     .gradient = "self: grad / (x (1 - x)), 0 where eps bounded x",
     .samples = logit_samples,
     .variants = kInPlace | kOut,
     .not_finite = kLogitNotFinite,
     .dtypes = {kWithUnsigned}},
    real_function("aten::erf(Tensor self) -> Tensor", "Error function of each element.",
                  "2/sqrt(pi) integral of exp(-t^2) from 0 to x", unary<UnaryOp::Erf>,
                  {[](G& c) {
                       const Tensor x = c.argument("self");
                       c.set_grad("self", c.grad_output() * (fn::exp(-(x * x)) * kTwoOverSqrtPi));
                   },
                   {save_argument("self")}})
        .with_dtypes({kWithUnsigned, "erf_vml_cpu"})
        .with_sparse({.run = on_sparse::coalesced_values})
        .with_gradient("self: 2 grad exp(-x^2) / sqrt(pi)"),
    real_function("aten::erfc(Tensor self) -> Tensor", "Complementary error function.", "1 - erf(x)",
                  unary<UnaryOp::Erfc>,
                  {[](G& c) {
                       const Tensor x = c.argument("self");
                       c.set_grad("self", c.grad_output() * (fn::exp(-(x * x)) * -kTwoOverSqrtPi));
                   },
                   {save_argument("self")}})
        .with_dtypes({kWithUnsigned, "erfc_vml_cpu"})
        .with_gradient("self: -2 grad exp(-x^2) / sqrt(pi)"),
    real_function("aten::erfinv(Tensor self) -> Tensor", "Inverse error function.", "erf^-1(x)", unary<UnaryOp::Erfinv>,
                  {[](G& c) {
                       const Tensor y = c.result();
                       c.set_grad("self", c.grad_output() * (fn::exp(y * y) / kTwoOverSqrtPi));
                   },
                   {save_result()}},
                  unit_samples)
        .with_dtypes({kWithUnsigned, "erfinv_vml_cpu"})
        .with_autocast({.cuda = Autocast::Float32})
        .with_gradient("self: grad sqrt(pi) exp(out^2) / 2")
        .with_not_finite(kErfinvNotFinite),
    real_function(
        "aten::lgamma(Tensor self) -> Tensor", "Logarithm of the gamma function's magnitude.", "ln|Gamma(x)|",
        unary<UnaryOp::Lgamma>,
        {[](G& c) { c.set_grad("self", c.grad_output() * fn::digamma(c.argument("self"))); }, {save_argument("self")}},
        positive_samples)
        .with_dtypes({kWithUnsigned, "lgamma_vml_cpu"})
        .with_gradient("self: grad psi(x)")
        .with_not_finite(kLgammaNotFinite),
    real_function("aten::digamma(Tensor self) -> Tensor", "Derivative of lgamma, the digamma function.",
                  "Gamma'(x) / Gamma(x)", unary<UnaryOp::Digamma>,
                  {[](G& c) { c.set_grad("self", c.grad_output() * fn::polygamma(1, c.argument("self"))); },
                   {save_argument("self")}},
                  positive_samples)
        .with_dtypes({kWithUnsigned, "digamma"})
        .with_gradient("self: grad psi_1(x)")
        .with_not_finite(kDigammaNotFinite),
    {.schema = "aten::polygamma(int n, Tensor self) -> Tensor",
     .summary = "The n-th derivative of digamma.",
     .formula = "psi_n(x) = d^n psi(x) / dx^n",
     .infer = polygamma_infer,
     .kernel = FillingKernel{&polygamma_kernel},
     .derivative = {[](G& c) {
                        c.set_grad("self", c.grad_output() * fn::polygamma(checked_sum(c.value("n").to_int(), 1),
                                                                           c.argument("self")));
                    },
                    {save_argument("self")}},
     .gradient = "self: grad psi_{n + 1}(x)",
     .variants = kOut,
     .dtypes = {kWithUnsigned, "polygamma"}},
    {.schema = "aten::i0(Tensor self) -> Tensor",
     .summary = "Modified Bessel function of the first kind, order 0.",
     .formula = "I_0(x) = sum_k (x^2 / 4)^k / k!^2",
     .infer = infer_float_real,
     .kernel = unary<UnaryOp::I0>,
     .derivative = {[](G& c) { c.set_grad("self", c.grad_output() * kI1(c.argument("self"))); },
                    {save_argument("self")}},
     .gradient = "self: grad I_1(x)",
     .samples = real_samples,
     .variants = kInPlace | kOut,
     .dtypes = {kWithUnsigned, "i0_vml_cpu"}},

    alias("aten::arcsin(Tensor self) -> Tensor", "The same as asin.", boxed<same_as<&fn::asin>>, unit_samples)
        .with_out({}),
    alias("aten::arccos(Tensor self) -> Tensor", "The same as acos.", boxed<same_as<&fn::acos>>, unit_samples)
        .with_out({}),
    alias("aten::arctan(Tensor self) -> Tensor", "The same as atan.", boxed<same_as<&fn::atan>>).with_out({}),
    alias("aten::arcsinh(Tensor self) -> Tensor", "The same as asinh.", boxed<same_as<&fn::asinh>>).with_out({}),
    alias("aten::arccosh(Tensor self) -> Tensor", "The same as acosh.", boxed<same_as<&fn::acosh>>, above_one_samples)
        .with_out({}),
    alias("aten::arctanh(Tensor self) -> Tensor", "The same as atanh.", boxed<same_as<&fn::atanh>>, unit_samples)
        .with_out({}),
    alias("aten::special_expit(Tensor self) -> Tensor", "The same as sigmoid.", boxed<same_as<&fn::sigmoid>>),
    alias("aten::special_erf(Tensor self) -> Tensor", "The same as erf.", boxed<same_as<&fn::erf>>, real_samples),
    alias("aten::special_exp2(Tensor self) -> Tensor", "The same as exp2.", boxed<same_as<&fn::exp2>>),
    alias("aten::special_expm1(Tensor self) -> Tensor", "The same as expm1.", boxed<same_as<&fn::expm1>>, real_samples),
    alias("aten::special_log1p(Tensor self) -> Tensor", "The same as log1p.", boxed<same_as<&fn::log1p>>,
          positive_samples),
    alias("aten::special_digamma(Tensor self) -> Tensor", "The same as digamma.", boxed<same_as<&fn::digamma>>,
          positive_samples),
};

}  // namespace

std::span<const OperatorRecord> pointwise::unary_math_records() { return kRecords; }

}  // namespace loupe
