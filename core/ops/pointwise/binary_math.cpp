// SPDX-License-Identifier: Apache-2.0
// Functions of two numbers: angles, lengths, logarithms of sums, greatest and smallest, divisors.

#include "core/dispatch/forward.h"
#include "core/kernels/arithmetic.h"
#include "core/ops/pointwise/family.h"
#include "core/ops/pointwise/pointwise.h"

namespace loupe {
namespace {

using namespace arithmetic;
using namespace pointwise;
using G = GradientContext;

// Of complex numbers each is refused by its name.
constexpr char kMaximum[] = "maximum", kMinimum[] = "minimum", kFmax[] = "fmax", kFmin[] = "fmin";
template <const char* Name>
void infer_extremum(Arguments arguments, MetaList& outputs) {
    infer_binary(arguments, outputs);
    require(!is_complex(outputs[0].dtype), Name, " not implemented for complex tensors.");
}
void infer_float_pair(Arguments arguments, MetaList& outputs) {
    infer_binary_real(arguments, outputs);
    outputs[0].dtype = floating_type(outputs[0].dtype);
}
void infer_floating_pair(Arguments arguments, MetaList& outputs) {
    infer_binary_real(arguments, outputs);
    require(is_floating(outputs[0].dtype), "not implemented for '", dtype_graph_name(outputs[0].dtype), "'");
}
void infer_float_or_complex_pair(Arguments arguments, MetaList& outputs) {
    infer_binary(arguments, outputs);
    require(is_floating(outputs[0].dtype) || is_complex(outputs[0].dtype), "not implemented for '",
            dtype_graph_name(outputs[0].dtype), "'");
}
void infer_integer_pair(Arguments arguments, MetaList& outputs) {
    infer_binary_real(arguments, outputs);
    require(is_integral(outputs[0].dtype) && outputs[0].dtype != ScalarType::Bool, "not implemented for '",
            dtype_graph_name(outputs[0].dtype), "'");
}
void infer_heaviside(Arguments arguments, MetaList& outputs) {
    require(arguments[0].tensor_impl()->dtype == arguments[1].tensor_impl()->dtype,
            "heaviside is not yet implemented for tensors with different dtypes.");
    require(!is_complex(arguments[0].tensor_impl()->dtype), "heaviside is not yet implemented for complex tensors.");
    infer_binary(arguments, outputs);
}

void atan2_backward(G& c) {
    const Tensor y = c.argument("self"), x = c.argument("other");
    const Tensor g = c.grad_output() / (x * x + y * y);
    c.grad("self", [&] { return g * x; });
    c.grad("other", [&] { return g * -y; });
}
void hypot_backward(G& c) {
    c.grad("self", [&] { return c.grad_output() * (c.argument("self") / c.result()); });
    c.grad("other", [&] { return c.grad_output() * (c.argument("other") / c.result()); });
}
Tensor copysign_slope(G& c) {
    const Tensor x = c.argument("self");
    const Tensor slope = c.result() / x;
    return c.grad_output() * fn::masked_fill(slope, fn::eq_scalar(x, Scalar(0)), Scalar(0.0));
}
void copysign_backward(G& c) {
    c.grad("self", [&] { return copysign_slope(c); });
    c.grad("other", [&] { return fn::zeros_like(c.grad_output()); });
}
void xlogy_backward(G& c) {
    const Tensor x = c.argument("self"), y = c.argument("other");
    c.grad("self", [&] {
        const Tensor flat = fn::logical_and(fn::eq_scalar(x, Scalar(0)), fn::le_scalar(y, Scalar(0)));
        return c.grad_output() * fn::masked_fill(fn::log(y), flat, Scalar(0.0));
    });
    c.grad("other", [&] { return c.grad_output() * x / y; });
}
template <bool kBinary>
void logaddexp_backward(G& c) {
    const auto share = [&](const Tensor& x) {
        return kBinary ? fn::exp2(x - c.result()) : conj(fn::exp(x - c.result()));
    };
    c.grad("self", [&] { return c.grad_output() * share(c.argument("self")); });
    c.grad("other", [&] { return c.grad_output() * share(c.argument("other")); });
}

// The winner takes the gradient; equals share it.
template <const OperatorHandle<>* kLoses>
void extremum_backward(G& c) {
    const Tensor a = c.argument("self"), b = c.argument("other");
    const Tensor each = fn::where(fn::eq(a, b), c.grad_output() / 2, c.grad_output());
    c.grad("self", [&] { return fn::masked_fill(each, (*kLoses)(a, b), Scalar(0)); });
    c.grad("other", [&] { return fn::masked_fill(each, (*kLoses)(b, a), Scalar(0)); });
}
// As PyTorch: the first unless the second wins, NaN loses.
template <const OperatorHandle<>* kFirstWins>
void nan_loses_backward(G& c) {
    const Tensor a = c.argument("self"), b = c.argument("other");
    const Tensor first = fn::logical_or((*kFirstWins)(a, b), fn::isnan(b));
    c.grad("self", [&] { return keep_where(c.grad_output(), first); });
    c.grad("other", [&] { return keep_where(c.grad_output(), fn::logical_not(first)); });
}

void nextafter_backward(G& c) {
    c.grad("self", [&] { return keep_where(c.grad_output(), fn::ne(c.argument("self"), c.argument("other"))); });
    c.grad("other", [&] { return fn::zeros_like(c.grad_output()); });
}

std::vector<Sample> floating_pairs(Random& random, ScalarType dtype) {
    return is_floating(dtype) ? real_binary_samples(random, dtype) : std::vector<Sample>();
}
std::vector<Sample> xlogy_samples(Random& random, ScalarType dtype) {
    std::vector<Sample> samples = floating_pairs(random, dtype);
    for (Sample& s : samples) s.arguments[1] = fn::abs(s.arguments[1].to_tensor()) + 0.25;
    return samples;
}

std::vector<Sample> copysign_number_samples(Random& random, ScalarType dtype) {
    std::vector<Sample> samples = floating_pairs(random, dtype);
    for (Sample& s : samples) s.arguments[1] = Scalar(-2.0);
    return samples;
}

constexpr OperatorRecord pair(std::string_view schema, std::string_view summary, std::string_view formula,
                              InferFunction infer, Kernel kernel, Derivative derivative,
                              SamplesFunction samples = floating_pairs, std::uint8_t variants = kInPlace | kOut) {
    return {.schema = schema,
            .summary = summary,
            .formula = formula,
            .infer = infer,
            .kernel = kernel,
            .derivative = derivative,
            .samples = samples,
            .variants = variants};
}
constexpr OperatorRecord alias(std::string_view schema, std::string_view summary, KernelFunction composite) {
    return {.schema = schema, .summary = summary, .composite = composite};
}

using In = NotFiniteNote::In;
using When = NotFiniteNote::When;
constexpr NotFiniteNote kXlogyNotFinite[] = {
    {In::Either, When::Zero, 1, "xlogy at y = 0", "clamp y before: y.clamp(min=1e-8)"},
};
constexpr NotFiniteNote kAtan2NotFinite[] = {
    {In::Backward, When::Zero, 0, "atan2 at (0, 0)", "add an eps to one of its arguments"},
};

constexpr OperatorRecord kRecords[] = {
    pair("aten::atan2(Tensor self, Tensor other) -> Tensor", "Angle of the point (other, self).",
         "atan(self / other) in its quadrant", infer_float_pair, binary<BinaryOp::Atan2>,
         {atan2_backward, {save_argument("self"), save_argument("other")}})
        .with_dtypes({kWithUnsigned})
        .with_autocast({.cuda = Autocast::Widest})
        .with_gradient("self: grad other / (self^2 + other^2)\nother: -grad self / (self^2 + other^2)")
        .with_not_finite(kAtan2NotFinite),
    alias("aten::arctan2(Tensor self, Tensor other) -> Tensor", "The same as atan2.", forward<"aten::atan2">)
        .with_out({}),
    pair("aten::hypot(Tensor self, Tensor other) -> Tensor", "Length of the hypotenuse.", "sqrt(self^2 + other^2)",
         infer_floating_pair, binary<BinaryOp::Hypot>,
         {hypot_backward, {save_argument("self"), save_argument("other"), save_result()}})
        .with_gradient("self: grad self / out\nother: grad other / out"),
    pair("aten::copysign.Tensor(Tensor self, Tensor other) -> Tensor", "Magnitude of self with the sign of other.", {},
         infer_float_pair, binary<BinaryOp::Copysign>, {copysign_backward, {save_argument("self"), save_result()}})
        .with_dtypes({kWithUnsigned})
        .with_formula("|self| sgn(other)")
        .with_gradient("self: grad out / self, 0 at 0\nother: 0"),
    {.schema = "aten::copysign.Scalar(Tensor self, Scalar other) -> Tensor",
     .summary = "Magnitude of self with the sign of a number.",
     .infer = infer_float_pair,
     .kernel = binary<BinaryOp::Copysign>,
     .derivative = {[](G& c) { c.set_grad("self", copysign_slope(c)); },
                    {save_argument("self"), save_result()},
                    "CopysignBackward1"},
     .samples = copysign_number_samples,
     .variants = kInPlace | kOut,
     .out = {.overload = "Scalar_out"},
     .dtypes = {kWithUnsigned}},
    {.schema = "aten::xlogy.Tensor(Tensor self, Tensor other) -> Tensor",
     .summary = "self ln(other), 0 where self is 0.",
     .formula = "self ln(other)",
     .infer = infer_float_pair,
     .kernel = binary<BinaryOp::Xlogy>,
     .derivative = {xlogy_backward, {save_argument("self"), save_argument("other")}},
     .gradient = "self: grad ln(other), 0 where self is 0\nother: grad self / other",
     .samples = xlogy_samples,
     .variants = kInPlace | kOut,
     .out = {.overload = "OutTensor"},
     .not_finite = kXlogyNotFinite,
     .dtypes = {kWithUnsigned}},
    pair("aten::logaddexp(Tensor self, Tensor other) -> Tensor", "Logarithm of the sum of exponentials.",
         "ln(exp(self) + exp(other))", infer_float_or_complex_pair, binary<BinaryOp::Logaddexp>,
         {logaddexp_backward<false>, {save_argument("self"), save_argument("other"), save_result()}}, floating_pairs,
         kOut)
        .with_gradient("self: grad exp(self - out)\nother: grad exp(other - out)"),
    pair("aten::logaddexp2(Tensor self, Tensor other) -> Tensor", "Base-2 logarithm of the sum of powers of 2.",
         "log2(2^self + 2^other)", infer_floating_pair, binary<BinaryOp::Logaddexp2>,
         {logaddexp_backward<true>, {save_argument("self"), save_argument("other"), save_result()}}, floating_pairs,
         kOut)
        .with_gradient("self: grad 2^(self - out)\nother: grad 2^(other - out)"),
    pair("aten::nextafter(Tensor self, Tensor other) -> Tensor", "The next number after self towards other.",
         "self + ulp, or self - ulp, towards other", infer_floating_pair, binary<BinaryOp::Nextafter>,
         {nextafter_backward, {save_argument("self"), save_argument("other")}})
        .with_gradient("self: grad where self != other, else 0\nother: 0"),
    pair("aten::heaviside(Tensor self, Tensor values) -> Tensor", "Step function; values where self is 0.", {},
         infer_heaviside, binary<BinaryOp::Heaviside>, {}, nullptr)
        .with_formula("0 if self < 0, values if self = 0, 1 if self > 0"),
    pair("aten::gcd(Tensor self, Tensor other) -> Tensor", "Greatest common divisor.", {}, infer_integer_pair,
         binary<BinaryOp::Gcd>, {}, integer_binary_samples)
        .with_formula("gcd(self, other)"),
    pair("aten::lcm(Tensor self, Tensor other) -> Tensor", "Least common multiple.", {}, infer_integer_pair,
         binary<BinaryOp::Lcm>, {}, integer_binary_samples)
        .with_formula("lcm(self, other)"),

    pair("aten::maximum(Tensor self, Tensor other) -> Tensor", "The greater of two; NaN wins.", "max(self, other)",
         infer_extremum<kMaximum>, binary<BinaryOp::Maximum>,
         {extremum_backward<&fn::lt>, {save_argument("self"), save_argument("other")}}, real_binary_samples, kOut)
        .with_dtypes({kWithUnsigned})
        .with_gradient("self: grad where self > other, grad / 2 where equal\n"
                       "other: grad where other > self, grad / 2 where equal"),
    pair("aten::minimum(Tensor self, Tensor other) -> Tensor", "The smaller of two; NaN wins.", "min(self, other)",
         infer_extremum<kMinimum>, binary<BinaryOp::Minimum>,
         {extremum_backward<&fn::gt>, {save_argument("self"), save_argument("other")}}, real_binary_samples, kOut)
        .with_dtypes({kWithUnsigned})
        .with_gradient("self: grad where self < other, grad / 2 where equal\n"
                       "other: grad where other < self, grad / 2 where equal"),
    pair("aten::fmax(Tensor self, Tensor other) -> Tensor", "The greater of two; NaN loses.", {}, infer_extremum<kFmax>,
         binary<BinaryOp::Fmax>, {nan_loses_backward<&fn::ge>, {save_argument("self"), save_argument("other")}},
         real_binary_samples, kOut)
        .with_dtypes({kWithUnsigned})
        .with_formula("max(self, other)")
        .with_gradient("self: grad where self >= other or other is NaN\nother: grad elsewhere"),
    pair("aten::fmin(Tensor self, Tensor other) -> Tensor", "The smaller of two; NaN loses.", {}, infer_extremum<kFmin>,
         binary<BinaryOp::Fmin>, {nan_loses_backward<&fn::le>, {save_argument("self"), save_argument("other")}},
         real_binary_samples, kOut)
        .with_dtypes({kWithUnsigned})
        .with_formula("min(self, other)")
        .with_gradient("self: grad where self <= other or other is NaN\nother: grad elsewhere"),
    alias("aten::max.other(Tensor self, Tensor other) -> Tensor", "The same as maximum.", forward<"aten::maximum">)
        .with_out({})
        .with_formula("max(self, other)")
        .with_gradient("self: grad where self > other, grad / 2 where equal\n"
                       "other: grad where other > self, grad / 2 where equal"),
    alias("aten::min.other(Tensor self, Tensor other) -> Tensor", "The same as minimum.", forward<"aten::minimum">)
        .with_out({})
        .with_formula("min(self, other)")
        .with_gradient("self: grad where self < other, grad / 2 where equal\n"
                       "other: grad where other < self, grad / 2 where equal"),

    alias("aten::multiply.Tensor(Tensor self, Tensor other) -> Tensor", "The same as mul.", forward<"aten::mul.Tensor">)
        .with_python({.takes_numbers = true})
        .with_out({}),
    alias("aten::multiply.Scalar(Tensor self, Scalar other) -> Tensor", "The same as mul.", forward<"aten::mul.Scalar">)
        .with_python({.takes_numbers = true}),
    alias("aten::subtract.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor", "The same as sub.",
          forward<"aten::sub.Tensor">)
        .with_python({.takes_numbers = true})
        .with_out({}),
    alias("aten::subtract.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor", "The same as sub.",
          forward<"aten::sub.Scalar">)
        .with_python({.takes_numbers = true}),
    alias("aten::divide.Tensor(Tensor self, Tensor other) -> Tensor", "The same as div.", forward<"aten::div.Tensor">)
        .with_python({.takes_numbers = true})
        .with_out({}),
    alias("aten::divide.Scalar(Tensor self, Scalar other) -> Tensor", "The same as div.", forward<"aten::div.Scalar">)
        .with_python({.takes_numbers = true}),
    alias("aten::divide.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor", "The same as div.",
          forward<"aten::div.Tensor_mode">)
        .with_python({.takes_numbers = true})
        .with_out({.overload = "out_mode"})
        .with_formula("round(self / other), towards 0 or down; unrounded without a mode"),
    alias("aten::divide.Scalar_mode(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor", "The same as div.",
          forward<"aten::div.Scalar_mode">)
        .with_python({.takes_numbers = true})
        .with_formula("round(self / other), towards 0 or down; unrounded without a mode"),
    alias("aten::true_divide.Tensor(Tensor self, Tensor other) -> Tensor", "The same as div.",
          forward<"aten::div.Tensor">)
        .with_python({.takes_numbers = true})
        .with_out({}),
    alias("aten::true_divide.Scalar(Tensor self, Scalar other) -> Tensor", "The same as div.",
          forward<"aten::div.Scalar">)
        .with_python({.takes_numbers = true}),
    alias("aten::absolute(Tensor self) -> Tensor", "The same as abs.", forward<"aten::abs">).with_out({}),
    alias("aten::negative(Tensor self) -> Tensor", "The same as neg.", forward<"aten::neg">).with_out({}),
    alias("aten::fix(Tensor self) -> Tensor", "The same as trunc.", forward<"aten::trunc">).with_out({}),
};

}  // namespace

std::span<const OperatorRecord> pointwise::binary_math_records() { return kRecords; }

}  // namespace loupe
