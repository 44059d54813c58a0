// SPDX-License-Identifier: Apache-2.0
// pow and related operators.

#include <cmath>

#include "core/dispatch/out_refusals.h"
#include "core/kernels/arithmetic.h"
#include "core/ops/not_finite.h"
#include "core/ops/pointwise/family.h"
#include "core/ops/pointwise/pointwise.h"
#include "core/ops/sparse/sparse.h"
#include "core/tensor/scalar_range.h"

namespace loupe {
namespace {

using namespace arithmetic;
using namespace pointwise;
using G = GradientContext;

void infer_pow(Arguments arguments, MetaList& outputs) {
    infer_binary(arguments, outputs);
    const IValue& exponent = arguments[1];
    require(!is_integral(outputs[0].dtype) || exponent.is_tensor() || exponent.to_scalar().to_int() >= 0,
            "Integers to negative integer powers are not allowed.");
    require(outputs[0].dtype != ScalarType::Bool, "not implemented for 'Bool'");
}

// Of dtypes that few operators take the powers that are no product alone.
bool is_rare(ScalarType dtype) { return !has_dtype(kCommonDtypes, dtype); }
void infer_pow_of_number(Arguments arguments, MetaList& outputs) {
    const Scalar exponent = arguments[1].to_scalar();
    infer_binary(arguments, outputs);
    const ScalarType dtype = outputs[0].dtype;
    if (dtype != ScalarType::Bool || !(exponent.equals(0) || exponent.equals(1))) {
        outputs.clear();
        infer_pow(arguments, outputs);
    }
    const bool is_narrow = is_floating(dtype) && element_size(dtype) < 4;
    if (is_integral(dtype) || is_narrow) require_fits(exponent, dtype);
    require(!is_rare(outputs[0].dtype) || exponent.equals(0) || exponent.equals(1), "\"pow\" not implemented for '",
            dtype_graph_name(outputs[0].dtype), "'");
}

// The exponents that models use have faster forms.
void pow_kernel(Arguments arguments, IValue* results) {
    const Tensor out = results[0].to_tensor();
    const bool plain =
        arguments[0].is_tensor() && !arguments[1].is_tensor() && arguments[0].tensor_impl()->dtype == out.dtype();
    if (plain) {
        const Scalar exponent = arguments[1].to_scalar();
        if (is_rare(out.dtype()))
            return exponent.equals(0) ? fill_with(out, Scalar(1)) : copy_into(out, arguments[0].to_tensor());
        if (exponent.equals(2)) return run_unary(UnaryOp::Square, arguments, results);
        if (exponent.equals(3)) return run_unary(UnaryOp::Cube, arguments, results);
        if (is_differentiable(out.dtype())) {
            if (exponent.equals(0.5)) return run_unary(UnaryOp::Sqrt, arguments, results);
            if (exponent.equals(-0.5)) return run_unary(UnaryOp::Rsqrt, arguments, results);
            if (exponent.equals(-1)) return run_unary(UnaryOp::Reciprocal, arguments, results);
        }
    }
    run_binary(BinaryOp::Pow, arguments, results);
}

Scalar minus_one(const Scalar& s) {
    if (s.is_complex()) return s.to_complex() - 1.0;
    return s.is_integral() ? Scalar(s.to_int() - 1) : Scalar(s.to_double() - 1);
}

Tensor slope_in_base(const Tensor& g, const Tensor& base, const Scalar& exponent) {
    if (exponent.equals(0)) return fn::zeros_like(g);
    if (exponent.equals(1)) return g;
    if (exponent.equals(2)) return g * (conj(base) * 2);
    return g * conj(fn::pow_scalar(base, minus_one(exponent)) * exponent);
}

Tensor slope_in_base(const Tensor& g, const Tensor& base, const Tensor& exponent) {
    const Tensor slope = exponent * fn::pow(base, exponent - 1);
    return g * conj(fn::masked_fill(slope, fn::eq_scalar(exponent, Scalar(0)), Scalar(0.0)));
}
// 0^x has slope 0 in x where x >= 0.
Tensor slope_in_exponent(const Tensor& g, const Tensor& base, const Tensor& exponent, const Tensor& result) {
    const Tensor slope = result * fn::log(base);
    Tensor flat = fn::eq_scalar(base, Scalar(0));
    if (!is_complex(exponent.dtype())) flat = fn::logical_and(flat, fn::ge_scalar(exponent, Scalar(0)));
    return g * conj(fn::masked_fill(slope, flat, Scalar(0.0)));
}
void pow_backward(G& c) {
    c.grad("self", [&] { return slope_in_base(c.grad_output(), c.argument("self"), c.argument("exponent")); });
    c.grad("exponent",
           [&] { return slope_in_exponent(c.grad_output(), c.argument("self"), c.argument("exponent"), c.result()); });
}
void pow_of_scalar_backward(G& c) {
    const Scalar base = c.value("self").to_scalar();
    if (base.equals(0)) {
        const Tensor flat = fn::ge_scalar(c.argument("exponent"), Scalar(0));
        c.set_grad("exponent", fn::masked_fill(c.grad_output() * conj(c.result()) * std::log(0.0), flat, Scalar(0.0)));
        return;
    }
    const std::complex<double> logarithm = std::log(base.to_complex());
    const Scalar factor = logarithm.imag() == 0 || !is_complex(c.result().dtype()) ? Scalar(std::log(base.to_double()))
                                                                                   : Scalar(std::conj(logarithm));
    c.set_grad("exponent", c.grad_output() * (conj(c.result()) * factor));
}

std::int64_t wide_type(bool complex) {
    return static_cast<std::int64_t>(complex ? ScalarType::Complex128 : ScalarType::Float64);
}
Tensor float_power(const Tensor& self, const Tensor& exponent) {
    const std::int64_t wide = wide_type(is_complex(self.dtype()) || is_complex(exponent.dtype()));
    return fn::pow(fn::to_dtype(self, wide), fn::to_dtype(exponent, wide));
}
Tensor float_power_scalar(const Tensor& self, const Scalar& exponent) {
    return fn::pow_scalar(fn::to_dtype(self, wide_type(is_complex(self.dtype()) || exponent.is_complex())), exponent);
}

std::vector<Sample> pow_samples(Random& random, ScalarType dtype) {
    if (!is_differentiable(dtype)) return integer_binary_samples(random, dtype);
    std::vector<Sample> samples;
    for (const Sample& s : binary_samples(random, dtype)) {
        samples.push_back({{fn::abs(s.arguments[0].to_tensor()) + 0.5, s.arguments[1]}, s.name});
    }
    return samples;
}
std::vector<Sample> pow_scalar_samples(Random& random, ScalarType dtype) {
    std::vector<Sample> samples;
    for (const int exponent : {0, 1, 2, 3}) {
        for (Sample& s : with_arguments(unary_samples(random, dtype), {IValue(exponent)}))
            samples.push_back(std::move(s));
    }
    if (!is_floating(dtype)) return samples;
    for (const double exponent : {0.5, -0.5, -1.0, 1.7}) {
        for (Sample& s : with_arguments(positive_samples(random, dtype), {IValue(exponent)}))
            samples.push_back(std::move(s));
    }
    return samples;
}
std::vector<Sample> pow_of_scalar_samples(Random& random, ScalarType dtype) {
    std::vector<Sample> samples;
    for (const Sample& s : real_samples(random, dtype)) {
        if (is_floating(dtype)) samples.push_back({{1.7, s.arguments[0]}, s.name});
    }
    return samples;
}

using In = NotFiniteNote::In;
using When = NotFiniteNote::When;
using Makes = NotFiniteNote::Makes;
constexpr std::string_view kAwayFromZero = "add an eps to the base, or clamp it away from 0";
constexpr NotFiniteNote kAtZero = {In::Forward, When::ZeroBase, 0, "a power at 0", kAwayFromZero, Makes::Inf};
constexpr NotFiniteNote kSlopeAtZero = {In::Backward, When::ZeroBase, 0, "a power at 0", kAwayFromZero};
constexpr NotFiniteNote kFractional = {In::Forward,
                                       When::Negative,
                                       0,
                                       "a fractional power of a negative number",
                                       "clamp the base at 0, or take x.abs() and its sign apart",
                                       Makes::Nan};
constexpr NotFiniteNote kTooGreat = {In::Forward,     When::Always, 0, "a power that leaves the range of its dtype",
                                     advice::kShrink, Makes::Inf};
// NaN comes first: an Inf beside it has another cause.
constexpr NotFiniteNote kPowNotFinite[] = {kFractional, kAtZero, kSlopeAtZero, kTooGreat};
constexpr NotFiniteNote kPowOfTensorNotFinite[] = {
    kFractional,
    kAtZero,
    kSlopeAtZero,
    {In::Backward, When::Negative, 0, "a power of a negative number, whose logarithm the gradient takes",
     "clamp the base, or give the exponent as a number", Makes::Nan},
    kTooGreat,
};
// Of a base that is a number: its tensor is the exponent, and finite exponents give NaN for a negative base alone.
constexpr NotFiniteNote kPowOfScalarNotFinite[] = {
    {In::Forward, When::Always, 0, "a fractional power of a negative number",
     "give a base that is not negative, or whole exponents", Makes::Nan},
    kAtZero,
    kSlopeAtZero,
    {In::Backward, When::Always, 0, "a power of a negative number, whose logarithm the gradient takes",
     "give a base that is not negative", Makes::Nan},
    kTooGreat,
};
constexpr NotFiniteNote kFloatPowerNotFinite[] = {kFractional, kAtZero, kSlopeAtZero};

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::pow.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor",
     .summary = "Power, element by element.",
     .formula = "self ^ exponent",
     .infer = infer_pow,
     .kernel = FillingKernel{&pow_kernel},
     .derivative = {pow_backward,
                    {save_argument("self"), save_argument("exponent"), save_result(0, "exponent")},
                    "PowBackward1"},
     .gradient = "self: grad exponent self^(exponent - 1)\nexponent: grad out ln(self)",
     .samples = pow_samples,
     .variants = kOut,
     .out = {.overload = "Tensor_Tensor_out"},
     .sparse = {.run = on_sparse::coalesced_values},
     .autocast = {.cuda = Autocast::Float32},
     .not_finite = kPowOfTensorNotFinite,
     .dtypes = {.kernel = "pow"}},
    {.schema = "aten::pow.Scalar(Scalar self, Tensor exponent) -> Tensor",
     .summary = "A number to the power of each element.",
     .formula = "self ^ exponent",
     .infer = infer_pow,
     .kernel = FillingKernel{&pow_kernel},
     .derivative = {pow_of_scalar_backward, {save_argument("exponent"), save_result()}, "PowBackward2"},
     .samples = pow_of_scalar_samples,
     .variants = kOut,
     .out = {.overload = "Scalar_out"},
     .autocast = {.cuda = Autocast::Float32},
     .not_finite = kPowOfScalarNotFinite,
     .dtypes = {.kernel = "pow"}},
    {.schema = "aten::pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor",
     .summary = "Each element to a power.",
     .formula = "self ^ exponent",
     .infer = infer_pow_of_number,
     .kernel = FillingKernel{&pow_kernel},
     .derivative = {[](G& c) {
                        c.set_grad("self",
                                   slope_in_base(c.grad_output(), c.argument("self"), c.value("exponent").to_scalar()));
                    },
                    {save_argument("self")}},
     .samples = pow_scalar_samples,
     .variants = kOut,
     .out = {.overload = "Tensor_Scalar_out", .refusal = out_refusal::kFound},
     .sparse = {.run = on_sparse::coalesced_values},
     .autocast = {.cuda = Autocast::Float32},
     .not_finite = kPowNotFinite,
     .dtypes = {kAnyDtype, "pow"}},
    {.schema = "aten::pow_.Scalar(Tensor(a!) self, Scalar exponent) -> Tensor(a!)",
     .summary = "Raises each element to a power in place.",
     .formula = "self^exponent",
     .composite =
         [](Arguments arguments, IValue* results) {
             const Tensor self = arguments[0].to_tensor();
             results[0] = fn::copy_(self, fn::pow_scalar(fn::clone(self), arguments[1]));
         },
     .gradient = "self: grad exponent self^(exponent - 1)\nexponent: grad out ln(self)",
     .not_finite = kPowNotFinite},
    {.schema = "aten::pow_.Tensor(Tensor(a!) self, Tensor exponent) -> Tensor(a!)",
     .summary = "Raises each element to a power in place.",
     .composite =
         [](Arguments arguments, IValue* results) {
             const Tensor self = arguments[0].to_tensor();
             results[0] = fn::copy_(self, fn::pow(fn::clone(self), arguments[1]));
         }},
    {.schema = "aten::float_power.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor",
     .summary = "Power in float64 or complex128.",
     .formula = "self^exponent",
     .composite = boxed<float_power>,
     .gradient = "self: grad exponent self^(exponent - 1)\nexponent: grad out ln(self)",
     .variants = kOut,
     .out = {.overload = "Tensor_Tensor_out"},
     .not_finite = kFloatPowerNotFinite},
    {.schema = "aten::float_power.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor",
     .summary = "Power in float64 or complex128.",
     .composite = boxed<float_power_scalar>,
     .variants = kOut,
     .out = {.overload = "Tensor_Scalar_out"}},
};

}  // namespace

std::span<const OperatorRecord> pointwise::power_records() { return kRecords; }

}  // namespace loupe
