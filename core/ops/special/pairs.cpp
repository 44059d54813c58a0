// SPDX-License-Identifier: Apache-2.0
// Special functions of two numbers: zeta, incomplete gamma functions, x ln(y) and x ln(1 + y).

#include <cmath>

#include "core/dispatch/forward.h"
#include "core/kernels/arithmetic.h"
#include "core/ops/special/family.h"
#include "core/ops/special/loops.h"

namespace loupe::special {
namespace {

using namespace arithmetic;
using G = GradientContext;

const OperatorHandle<> kZeta("aten::special_zeta");

void infer_floating_pair(Arguments arguments, MetaList& outputs) {
    pointwise::infer_binary_real(arguments, outputs);
    pointwise::require(is_floating(outputs[0].dtype), "not implemented for '", dtype_graph_name(outputs[0].dtype), "'");
}

[[noreturn]] void no_derivative(std::string_view what) {
    throw Error(ErrorKind::Run, concat("the derivative for '", what, "' is not implemented."));
}
// A tensor argument, or a number instead.
IValue operand(G& c, std::size_t i) { return c.value(i).is_number() ? c.value(i) : IValue(c.argument(i)); }
Tensor times(const Tensor& t, const IValue& factor) {
    return factor.is_tensor() ? t * factor.to_tensor() : t * factor.to_scalar();
}

// d/dq zeta(x, q) = -x zeta(x + 1, q)
void zeta_backward(G& c) {
    c.grad("self", []() -> Tensor { no_derivative("zeta"); });
    c.grad("other",
           [&] { return c.grad_output() * -c.argument("self") * kZeta(c.argument("self") + 1, c.argument("other")); });
}
void zeta_of_number_backward(G& c) {
    const double x = c.value("self").to_scalar().to_double();
    c.set_grad("other", c.grad_output() * Scalar(-x) *
                            kZeta(fn::full_like(c.argument("other"), Scalar(x + 1)), c.argument("other")));
}
void zeta_at_number_backward(G&) { no_derivative("zeta"); }

// exp(-x) x^(a - 1) / Gamma(a)
Tensor gamma_density(G& c) {
    const Tensor a = c.argument("self"), x = c.argument("other");
    return c.grad_output() * fn::exp((a - 1) * fn::log(x) - x - fn::lgamma(a));
}
void igamma_backward(G& c) {
    c.grad("self", []() -> Tensor { no_derivative("igamma: input"); });
    c.grad("other", [&] { return gamma_density(c); });
}
void igammac_backward(G& c) {
    c.grad("self", []() -> Tensor { no_derivative("igammac: input"); });
    c.grad("other", [&] { return -gamma_density(c); });
}

// The slope in x of x ln(y + kShift): the logarithm, but 0 where x is 0 and the logarithm is not a number or infinite.
template <int kShift>
void slope_in_factor(G& c) {
    c.grad("self", [&] {
        const Tensor x = c.argument("self");
        const Tensor is_zero = fn::eq_scalar(x, Scalar(0));
        if (c.value("other").is_number()) {
            const double y = c.value("other").to_scalar().to_double();
            const Tensor slope = c.grad_output() * Scalar(kShift == 0 ? std::log(y) : std::log1p(y));
            return y > -kShift ? slope : fn::masked_fill(slope, is_zero, Scalar(0.0));
        }
        const Tensor y = c.argument("other");
        const Tensor flat = fn::logical_and(is_zero, fn::le_scalar(y, Scalar(-kShift)));
        return c.grad_output() * fn::masked_fill(kShift == 0 ? fn::log(y) : fn::log1p(y), flat, Scalar(0.0));
    });
}
template <int kShift>
void logarithm_backward(G& c) {
    slope_in_factor<kShift>(c);
    c.grad("other", [&] {
        return times(c.grad_output(), operand(c, 0)) /
               (kShift == 0 ? c.argument("other") : c.argument("other") + kShift);
    });
}

std::vector<Sample> floating_pairs(Random& random, ScalarType dtype) {
    std::vector<Sample> samples =
        is_wide_real(dtype) ? pointwise::real_binary_samples(random, dtype) : std::vector<Sample>();
    for (Sample& s : samples) {
        for (IValue& v : s.arguments) v = fn::abs(v.to_tensor()) + 0.25;
    }
    return samples;
}

std::vector<Sample> number_first(Random& random, ScalarType dtype) {
    std::vector<Sample> samples = floating_pairs(random, dtype);
    for (Sample& s : samples) s.arguments[0] = Scalar(1.5);
    return samples;
}
std::vector<Sample> number_second(Random& random, ScalarType dtype) {
    std::vector<Sample> samples = floating_pairs(random, dtype);
    for (Sample& s : samples) s.arguments[1] = Scalar(1.5);
    return samples;
}
// The series of zeta needs more than one.
std::vector<Sample> zeta_samples(Random& random, ScalarType dtype) {
    std::vector<Sample> samples = floating_pairs(random, dtype);
    for (Sample& s : samples) s.arguments[0] = s.arguments[0].to_tensor() + 1;
    return samples;
}
std::vector<Sample> zeta_at_number_samples(Random& random, ScalarType dtype) {
    std::vector<Sample> samples = zeta_samples(random, dtype);
    for (Sample& s : samples) s.arguments[1] = Scalar(1.5);
    return samples;
}

constexpr OperatorRecord pair(std::string_view schema, std::string_view summary, std::string_view formula,
                              InferFunction infer, Kernel kernel, Derivative derivative, std::string_view out_overload,
                              SamplesFunction samples = nullptr, std::uint8_t variants = kOut) {
    return {.schema = schema,
            .summary = summary,
            .formula = formula,
            .infer = infer,
            .kernel = kernel,
            .derivative = derivative,
            .samples = samples,
            .variants = variants,
            .out = {.overload = out_overload},
            .dtypes = {kWithUnsigned}};
}
constexpr OperatorRecord alias(std::string_view schema, std::string_view summary, KernelFunction composite) {
    return {.schema = schema, .summary = summary, .composite = composite};
}

constexpr FillingKernel kZetaKernel{&call_pair<SpecialPairOp::Zeta>};
constexpr FillingKernel kXlog1py{&call_pair<SpecialPairOp::XLog1pY>};
constexpr FillingKernel kXlogy = pointwise::binary<BinaryOp::Xlogy>;
constexpr char kZetaSummary[] = "Hurwitz zeta function.";
constexpr char kZetaFormula[] = "sum over k >= 0 of (k + other)^-self";
constexpr char kXlog1pySummary[] = "self ln(1 + other), 0 where self is 0.";
constexpr char kXlog1pyFormula[] = "self ln(1 + other)";
constexpr char kXlogySummary[] = "self ln(other), 0 where self is 0.";

constexpr OperatorRecord kRecords[] = {
    pair("aten::special_zeta(Tensor self, Tensor other) -> Tensor", kZetaSummary, kZetaFormula, infer_wide_pair,
         kZetaKernel, {zeta_backward, {save_argument("self"), save_argument("other")}}, "out", zeta_samples)
        .with_gradient("other: -grad self zeta(self + 1, other)"),
    pair("aten::special_zeta.self_scalar(Scalar self, Tensor other) -> Tensor", kZetaSummary, kZetaFormula,
         infer_wide_pair, kZetaKernel, {zeta_of_number_backward, {save_argument("other")}, "SpecialZetaBackward1"},
         "self_scalar_out", number_first),
    pair("aten::special_zeta.other_scalar(Tensor self, Scalar other) -> Tensor", kZetaSummary, kZetaFormula,
         infer_wide_pair, kZetaKernel, {zeta_at_number_backward, {}, "SpecialZetaBackward2"}, "other_scalar_out",
         zeta_at_number_samples),
    pair("aten::special_xlog1py(Tensor self, Tensor other) -> Tensor", kXlog1pySummary, kXlog1pyFormula, infer_pair,
         kXlog1py, {logarithm_backward<1>, {save_argument("self"), save_argument("other")}}, "out", floating_pairs)
        .with_gradient("self: grad ln(1 + other), 0 where self is 0\nother: grad self / (1 + other)"),
    pair("aten::special_xlog1py.self_scalar(Scalar self, Tensor other) -> Tensor", kXlog1pySummary, kXlog1pyFormula,
         infer_pair, kXlog1py, {logarithm_backward<1>, {save_argument("other")}, "SpecialXlog1PyBackward1"},
         "self_scalar_out", number_first),
    pair("aten::special_xlog1py.other_scalar(Tensor self, Scalar other) -> Tensor", kXlog1pySummary, kXlog1pyFormula,
         infer_pair, kXlog1py, {slope_in_factor<1>, {save_argument("self")}, "SpecialXlog1PyBackward2"},
         "other_scalar_out", number_second),
    pair("aten::xlogy.Scalar_Self(Scalar self, Tensor other) -> Tensor", kXlogySummary, "self ln(other)", infer_pair,
         kXlogy, {logarithm_backward<0>, {save_argument("other")}, "XlogyBackward1"}, "OutScalar_Self", number_first),
    pair("aten::xlogy.Scalar_Other(Tensor self, Scalar other) -> Tensor", kXlogySummary, "self ln(other)", infer_pair,
         kXlogy, {slope_in_factor<0>, {save_argument("self")}, "XlogyBackward2"}, "OutScalar_Other", number_second,
         kInPlace | kOut),
    alias("aten::special_xlogy(Tensor self, Tensor other) -> Tensor", "The same as xlogy.",
          forward<"aten::xlogy.Tensor">),
    alias("aten::special_xlogy.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)", "The same as xlogy.",
          forward<"aten::xlogy.OutTensor">),
    alias("aten::special_xlogy.self_scalar(Scalar self, Tensor other) -> Tensor", "The same as xlogy.",
          forward<"aten::xlogy.Scalar_Self">),
    alias("aten::special_xlogy.self_scalar_out(Scalar self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)",
          "The same as xlogy.", forward<"aten::xlogy.OutScalar_Self">),
    alias("aten::special_xlogy.other_scalar(Tensor self, Scalar other) -> Tensor", "The same as xlogy.",
          forward<"aten::xlogy.Scalar_Other">),
    alias("aten::special_xlogy.other_scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)",
          "The same as xlogy.", forward<"aten::xlogy.OutScalar_Other">),
    pair("aten::igamma(Tensor self, Tensor other) -> Tensor", "Regularised lower incomplete gamma function.",
         "1/Gamma(self) integral of t^(self - 1) exp(-t) from 0 to other", infer_floating_pair,
         FillingKernel{&call_pair<SpecialPairOp::GammaP>},
         {igamma_backward, {save_argument("self"), save_argument("other")}}, "out", floating_pairs, kInPlace | kOut)
        .with_gradient("other: grad exp(-other) other^(self - 1) / Gamma(self)"),
    pair("aten::igammac(Tensor self, Tensor other) -> Tensor", "Regularised upper incomplete gamma function.",
         "1 - igamma(self, other)", infer_floating_pair, FillingKernel{&call_pair<SpecialPairOp::GammaQ>},
         {igammac_backward, {save_argument("self"), save_argument("other")}}, "out", floating_pairs, kInPlace | kOut)
        .with_gradient("other: -grad exp(-other) other^(self - 1) / Gamma(self)"),
    alias("aten::special_gammainc(Tensor self, Tensor other) -> Tensor", "The same as igamma.",
          forward<"aten::igamma">),
    alias("aten::special_gammainc.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)",
          "The same as igamma.", forward<"aten::igamma.out">),
    alias("aten::special_gammaincc(Tensor self, Tensor other) -> Tensor", "The same as igammac.",
          forward<"aten::igammac">),
    alias("aten::special_gammaincc.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)",
          "The same as igammac.", forward<"aten::igammac.out">),
};

}  // namespace

std::span<const OperatorRecord> pair_records() { return kRecords; }

}  // namespace loupe::special
