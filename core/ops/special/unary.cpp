// SPDX-License-Identifier: Apache-2.0
// Special functions of one number: Bessel and Airy functions, those of the normal distribution, entropy.

#include <cmath>
#include <limits>
#include <numbers>

#include "core/kernels/arithmetic.h"
#include "core/ops/special/family.h"
#include "core/ops/special/loops.h"

namespace loupe::special {
namespace {

using namespace arithmetic;
using G = GradientContext;

const OperatorHandle<> kI0("aten::i0");
const OperatorHandle<> kI0e("aten::special_i0e");
const OperatorHandle<> kI1e("aten::special_i1e");
const OperatorHandle<> kJ0("aten::special_bessel_j0");
const OperatorHandle<> kJ1("aten::special_bessel_j1");
const OperatorHandle<> kY0("aten::special_bessel_y0");
const OperatorHandle<> kY1("aten::special_bessel_y1");
const OperatorHandle<> kModifiedI1("aten::special_modified_bessel_i1");
const OperatorHandle<> kModifiedK0("aten::special_modified_bessel_k0");
const OperatorHandle<> kModifiedK1("aten::special_modified_bessel_k1");
const OperatorHandle<> kErfcx("aten::special_erfcx");
const OperatorHandle<> kErf("aten::erf");

constexpr double kTwoOverSqrtPi = 2 * std::numbers::inv_sqrtpi;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kSqrtTwoPi = std::sqrt(2 * std::numbers::pi);

double epsilon_of(const Tensor& t) {
    switch (t.dtype()) {
        case ScalarType::Float64:
            return std::numeric_limits<double>::epsilon();
        case ScalarType::BFloat16:
            return 0.0078125;
        case ScalarType::Float16:
            return 0.0009765625;
        default:
            return std::numeric_limits<float>::epsilon();
    }
}

// Slopes of J1, I1 and exp(-|x|) I1, 1/2 at 0 where the formula divides by it.
template <typename Slope>
void first_order_backward(G& c, Slope&& slope) {
    const Tensor x = c.argument("self");
    const double epsilon = epsilon_of(x);
    const Tensor apart = fn::gt_scalar(fn::abs(x), Scalar(epsilon));
    const Tensor safe = fn::where_scalar_other(apart, x, Scalar(epsilon));
    c.set_grad("self", c.grad_output() * fn::where_scalar_other(apart, slope(safe), Scalar(0.5)));
}
void bessel_j0_backward(G& c) { c.set_grad("self", c.grad_output() * -kJ1(c.argument("self"))); }
void bessel_j1_backward(G& c) {
    first_order_backward(c, [&](const Tensor& x) { return kJ0(x) - c.result() * fn::reciprocal(x); });
}
void bessel_y0_backward(G& c) { c.set_grad("self", c.grad_output() * -kY1(c.argument("self"))); }
// Near 0 the slope is 2 / (pi x^2): at 0 inf, where the formula has inf - inf.
void bessel_y1_backward(G& c) {
    const Tensor x = c.argument("self");
    const Tensor slope = kY0(x) - c.result() * fn::reciprocal(x);
    const Tensor is_zero = fn::eq_scalar(x, Scalar(0));
    c.set_grad("self", c.grad_output() * fn::where_scalar_self(is_zero, Scalar(kInfinity), slope));
}
void modified_bessel_i0_backward(G& c) { c.set_grad("self", c.grad_output() * kModifiedI1(c.argument("self"))); }
void modified_bessel_k0_backward(G& c) { c.set_grad("self", c.grad_output() * -kModifiedK1(c.argument("self"))); }
void modified_bessel_k1_backward(G& c) {
    const Tensor x = c.argument("self");
    c.set_grad("self", c.grad_output() * -(kModifiedK0(x) + c.result() * fn::reciprocal(x)));
}
void i1_backward(G& c) {
    first_order_backward(c, [&](const Tensor& x) { return kI0(x) - c.result() * fn::reciprocal(x); });
}
void i1e_backward(G& c) {
    first_order_backward(c, [&](const Tensor& x) { return kI0e(x) - c.result() * (fn::sgn(x) + fn::reciprocal(x)); });
}
void i0e_backward(G& c) {
    const Tensor x = c.argument("self");
    c.set_grad("self", c.grad_output() * (kI1e(x) - fn::sgn(x) * c.result()));
}
void erfcx_backward(G& c) {
    c.set_grad("self", (2 * c.argument("self") * c.result() - Scalar(kTwoOverSqrtPi)) * c.grad_output());
}
void log_ndtr_backward(G& c) {
    const Tensor slope = kErfcx(c.argument("self") * Scalar(-std::numbers::sqrt2 / 2));
    c.set_grad("self", c.grad_output() / slope * Scalar(std::numbers::sqrt2 * std::numbers::inv_sqrtpi));
}
void ndtri_backward(G& c) {
    const Tensor y = c.result();
    c.set_grad("self", c.grad_output() * (fn::exp(fn::square(y) / 2) * Scalar(kSqrtTwoPi)));
}
void entr_backward(G& c) { c.set_grad("self", c.grad_output() * -(fn::log(c.argument("self")) + 1)); }

Tensor ndtr(const Tensor& self) { return (kErf(self / Scalar(std::numbers::sqrt2)) + 1) * Scalar(0.5); }

std::vector<Sample> wide_samples(Random& random, ScalarType dtype) {
    return is_wide_real(dtype) ? pointwise::real_samples(random, dtype) : std::vector<Sample>();
}
std::vector<Sample> wide_positive_samples(Random& random, ScalarType dtype) {
    return is_wide_real(dtype) ? pointwise::positive_samples(random, dtype) : std::vector<Sample>();
}
std::vector<Sample> probability_samples(Random& random, ScalarType dtype) {
    std::vector<Sample> samples = wide_samples(random, dtype);
    for (Sample& s : samples) s.arguments[0] = fn::sigmoid(s.arguments[0].to_tensor());
    return samples;
}

constexpr OperatorRecord function(std::string_view schema, std::string_view summary, std::string_view formula,
                                  Kernel kernel, Derivative derivative, SamplesFunction samples = wide_samples) {
    return {.schema = schema,
            .summary = summary,
            .formula = formula,
            .infer = infer_wide,
            .kernel = kernel,
            .derivative = derivative,
            .samples = samples,
            .variants = kOut};
}
// PyTorch has no derivative of these.
constexpr OperatorRecord flat(std::string_view schema, std::string_view summary, std::string_view formula,
                              Kernel kernel, SamplesFunction samples = wide_samples) {
    OperatorRecord record = function(schema, summary, formula, kernel, {}, samples);
    record.is_gradient_stop = true;
    return record;
}
constexpr OperatorRecord narrow_too(OperatorRecord record) {
    record.infer = pointwise::infer_float_real;
    return record;
}
template <SpecialOp kOp>
inline constexpr FillingKernel one{&call_function<kOp>};

constexpr OperatorRecord kRecords[] = {
    flat("aten::special_airy_ai(Tensor x) -> Tensor", "Airy function of the first kind.", "Ai(x)",
         one<SpecialOp::AiryAi>)
        .with_dtypes({kWithUnsigned}),
    function("aten::special_bessel_j0(Tensor self) -> Tensor", "Bessel function of the first kind, order 0.", "J0(x)",
             one<SpecialOp::BesselJ0>, {bessel_j0_backward, {save_argument("self")}})
        .with_dtypes({kWithUnsigned})
        .with_gradient("self: -grad J1(x)"),
    function("aten::special_bessel_j1(Tensor self) -> Tensor", "Bessel function of the first kind, order 1.", "J1(x)",
             one<SpecialOp::BesselJ1>, {bessel_j1_backward, {save_argument("self"), save_result()}})
        .with_dtypes({kWithUnsigned})
        .with_gradient("self: grad (J0(x) - out / x)"),
    function("aten::special_bessel_y0(Tensor self) -> Tensor", "Bessel function of the second kind, order 0.", "Y0(x)",
             one<SpecialOp::BesselY0>, {bessel_y0_backward, {save_argument("self")}}, wide_positive_samples)
        .with_dtypes({kWithUnsigned})
        .with_gradient("self: -grad Y1(x)"),
    function("aten::special_bessel_y1(Tensor self) -> Tensor", "Bessel function of the second kind, order 1.", "Y1(x)",
             one<SpecialOp::BesselY1>, {bessel_y1_backward, {save_argument("self"), save_result()}},
             wide_positive_samples)
        .with_dtypes({kWithUnsigned})
        .with_gradient("self: grad (Y0(x) - out / x)"),
    function("aten::special_modified_bessel_i0(Tensor self) -> Tensor",
             "Modified Bessel function of the first kind, order 0.", "I0(x)", one<SpecialOp::ModifiedBesselI0>,
             {modified_bessel_i0_backward, {save_argument("self")}})
        .with_dtypes({kWithUnsigned})
        .with_gradient("self: grad I1(x)"),
    function("aten::special_modified_bessel_i1(Tensor self) -> Tensor",
             "Modified Bessel function of the first kind, order 1.", "I1(x)", one<SpecialOp::ModifiedBesselI1>,
             {i1_backward, {save_argument("self"), save_result()}})
        .with_dtypes({kWithUnsigned})
        .with_gradient("self: grad (I0(x) - out / x)"),
    function("aten::special_modified_bessel_k0(Tensor self) -> Tensor",
             "Modified Bessel function of the second kind, order 0.", "K0(x)", one<SpecialOp::ModifiedBesselK0>,
             {modified_bessel_k0_backward, {save_argument("self")}}, wide_positive_samples)
        .with_dtypes({kWithUnsigned})
        .with_gradient("self: -grad K1(x)"),
    function("aten::special_modified_bessel_k1(Tensor self) -> Tensor",
             "Modified Bessel function of the second kind, order 1.", "K1(x)", one<SpecialOp::ModifiedBesselK1>,
             {modified_bessel_k1_backward, {save_argument("self"), save_result()}}, wide_positive_samples)
        .with_dtypes({kWithUnsigned})
        .with_gradient("self: -grad (K0(x) + out / x)"),
    flat("aten::special_scaled_modified_bessel_k0(Tensor x) -> Tensor",
         "Modified Bessel function of the second kind, order 0, scaled.", "exp(x) K0(x)",
         one<SpecialOp::ScaledBesselK0>, wide_positive_samples)
        .with_dtypes({kWithUnsigned}),
    flat("aten::special_scaled_modified_bessel_k1(Tensor x) -> Tensor",
         "Modified Bessel function of the second kind, order 1, scaled.", "exp(x) K1(x)",
         one<SpecialOp::ScaledBesselK1>, wide_positive_samples)
        .with_dtypes({kWithUnsigned}),
    flat("aten::special_spherical_bessel_j0(Tensor x) -> Tensor",
         "Spherical Bessel function of the first kind, order 0.", "sin(x) / x", one<SpecialOp::SphericalBesselJ0>)
        .with_dtypes({kWithUnsigned}),
    narrow_too(function("aten::special_i0e(Tensor self) -> Tensor",
                        "Modified Bessel function of the first kind, order 0, scaled.", "exp(-|x|) I0(x)",
                        one<SpecialOp::ScaledBesselI0>, {i0e_backward, {save_argument("self"), save_result()}})
                   .with_dtypes({kWithUnsigned})
                   .with_gradient("self: grad (exp(-|x|) I1(x) - sgn(x) out)")),
    narrow_too(function("aten::special_i1(Tensor self) -> Tensor",
                        "Modified Bessel function of the first kind, order 1.", "I1(x)",
                        one<SpecialOp::ModifiedBesselI1>, {i1_backward, {save_argument("self"), save_result()}})
                   .with_dtypes({kWithUnsigned})
                   .with_gradient("self: grad (I0(x) - out / x)")),
    narrow_too(function("aten::special_i1e(Tensor self) -> Tensor",
                        "Modified Bessel function of the first kind, order 1, scaled.", "exp(-|x|) I1(x)",
                        one<SpecialOp::ScaledBesselI1>, {i1e_backward, {save_argument("self"), save_result()}})
                   .with_dtypes({kWithUnsigned})
                   .with_gradient("self: grad (exp(-|x|) I0(x) - out (sgn(x) + 1 / x))")),
    narrow_too(function("aten::special_entr(Tensor self) -> Tensor", "A term of the entropy: 0 at 0, -inf below.",
                        "-x ln(x)", one<SpecialOp::Entropy>, {entr_backward, {save_argument("self")}},
                        wide_positive_samples)
                   .with_dtypes({kWithUnsigned})
                   .with_gradient("self: -grad (ln(x) + 1)")),
    function("aten::special_erfcx(Tensor self) -> Tensor", "Complementary error function, scaled.", "exp(x^2) erfc(x)",
             one<SpecialOp::ScaledErfc>, {erfcx_backward, {save_argument("self"), save_result()}})
        .with_dtypes({kWithUnsigned})
        .with_gradient("self: grad (2 x out - 2 / sqrt(pi))"),
    function("aten::special_log_ndtr(Tensor self) -> Tensor",
             "Logarithm of the normal distribution's cumulative probability.", "ln((1 + erf(x / sqrt(2))) / 2)",
             one<SpecialOp::LogNormalCdf>, {log_ndtr_backward, {save_argument("self")}})
        .with_dtypes({kWithUnsigned})
        .with_gradient("self: grad exp(-x^2 / 2) / (sqrt(2 pi) exp(out))"),
    function("aten::special_ndtri(Tensor self) -> Tensor",
             "Inverse of the normal distribution's cumulative probability.", "ndtr^-1(p)",
             one<SpecialOp::InverseNormalCdf>, {ndtri_backward, {save_result()}}, probability_samples)
        .with_dtypes({kWithUnsigned})
        .with_gradient("self: grad sqrt(2 pi) exp(out^2 / 2)"),
    {.schema = "aten::special_ndtr(Tensor self) -> Tensor",
     .summary = "Cumulative probability of the normal distribution.",
     .formula = "(1 + erf(x / sqrt(2))) / 2",
     .composite = boxed<ndtr>,
     .gradient = "self: grad exp(-x^2 / 2) / sqrt(2 pi)",
     .samples = wide_samples},
};

}  // namespace

std::span<const OperatorRecord> unary_records() { return kRecords; }

}  // namespace loupe::special
