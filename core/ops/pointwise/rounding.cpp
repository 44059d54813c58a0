// SPDX-License-Identifier: Apache-2.0
// Signs, magnitudes, rounding, and tests for NaN and infinity.

#include "core/dispatch/out_refusals.h"
#include "core/kernels/arithmetic.h"
#include "core/ops/pointwise/family.h"
#include "core/ops/pointwise/pointwise.h"
#include "core/ops/sparse/sparse.h"

#include <cmath>
#include <limits>

namespace loupe {
namespace {

using namespace arithmetic;
using namespace pointwise;
using G = GradientContext;

constexpr DtypeSet kNumbers = kWithUnsigned & ~dtype_bit(ScalarType::Bool);

void zero_gradient(G& c) { c.set_grad("self", fn::zeros_like(c.grad_output())); }

// Of complex numbers each is refused in its own words.
constexpr char kNoComplexSign[] =
    "Unlike NumPy, torch.sign is not intended to support complex numbers. Please use torch.sgn instead.";
constexpr char kNoComplexFloor[] = "floor is not supported for complex inputs";
constexpr char kNoComplexCeil[] = "ceil is not supported for complex inputs";
constexpr char kNoComplexTrunc[] = "trunc is not supported for complex inputs";

template <const char* Refusal>
void infer_rounding(Arguments arguments, MetaList& outputs) {
    require(!is_complex(arguments[0].tensor_impl()->dtype), Refusal);
    infer_same(arguments, outputs);
}

constexpr OperatorRecord rounding(std::string_view schema, std::string_view summary, Kernel kernel,
                                  InferFunction infer) {
    return {.schema = schema,
            .summary = summary,
            .infer = infer,
            .kernel = kernel,
            .derivative = {zero_gradient},
            .samples = kink_samples,
            .variants = kInPlace | kOut};
}
constexpr OperatorRecord check(std::string_view schema, std::string_view summary, Kernel kernel,
                               std::uint8_t variants = kFunctional) {
    return {.schema = schema,
            .summary = summary,
            .infer = infer_bool,
            .kernel = kernel,
            .samples = unary_samples,
            .variants = variants,
            .is_gradient_stop = true};
}

void infer_signbit(Arguments arguments, MetaList& outputs) {
    require(!is_complex(arguments[0].tensor_impl()->dtype), "signbit is not implemented for complex tensors.");
    infer_bool(arguments, outputs);
}
void abs_infer(Arguments arguments, MetaList& outputs) {
    const Tensor self = arguments[0].to_tensor();
    outputs.push_back(same_meta(self, to_real_type(self.dtype())));
}
void abs_kernel(Arguments arguments, IValue* results) {
    const Tensor self = arguments[0].to_tensor();
    if (!is_complex(self.dtype())) {
        run_unary(UnaryOp::Abs, arguments, results);
        return;
    }
    const ScalarType as = compute_type(self.dtype());
    run(complex_part_kernel(ComplexPartOp::Abs, as), results[0].to_tensor(), to_real_type(as), arguments.first(1), as,
        as);
}
void neg_infer(Arguments arguments, MetaList& outputs) {
    require(arguments[0].tensor_impl()->dtype != ScalarType::Bool,
            "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use "
            "the `~` "
            "or `logical_not()` operator instead.");
    infer_same(arguments, outputs);
}
std::vector<Sample> negation_samples(Random& random, ScalarType dtype) {
    return dtype == ScalarType::Bool ? std::vector<Sample>() : unary_samples(random, dtype);
}
void sgn_backward(G& c) {
    const Tensor g = c.grad_output();
    if (!is_complex(c.dtype("self"))) {
        zero_gradient(c);
        return;
    }
    const Tensor x = c.argument("self");
    const Tensor magnitude = fn::abs(x);
    const Tensor s = c.result();
    const Tensor along = fn::real(g * fn::conj_physical(s));
    const Tensor slope = (g - s * along) / magnitude;
    c.set_grad("self", fn::masked_fill(slope, fn::eq_scalar(magnitude, Scalar(0)), Scalar(0.0)));
}

void round_decimals(Arguments arguments, IValue* results) {
    const Tensor self = arguments[0].to_tensor();
    const double scale = std::pow(10.0, static_cast<double>(arguments[1].to_int()));
    results[0] = fn::round(self * scale) / scale;
}

void nan_to_num_kernel(Arguments arguments, IValue* results) {
    const Tensor self = arguments[0].to_tensor();
    const Tensor out = results[0].to_tensor();
    if (is_integral(self.dtype())) {
        if (!out.is_same(self)) copy_into(out, self);
        return;
    }
    if (is_complex(self.dtype())) {
        // Real and imaginary parts apart.
        static const OperatorHandle<> nan_to_num{"aten::nan_to_num"};
        const Tensor parts = nan_to_num(fn::view_as_real(self), arguments[1], arguments[2], arguments[3]);
        copy_into(out, fn::view_as_complex(parts));
        return;
    }
    const double largest = visit_any_dtype(self.dtype(), []<typename T>(std::type_identity<T>) -> double {
        if constexpr (std::is_same_v<T, Half>)
            return 65504;
        else if constexpr (std::is_same_v<T, BFloat16>)
            return 3.3895313892515355e38;
        else if constexpr (std::is_floating_point_v<T>)
            return static_cast<double>(std::numeric_limits<T>::max());
        else
            return 0;
    });
    const auto given = [&](std::size_t i, double otherwise) {
        return arguments[i].is_none() ? Scalar(otherwise) : arguments[i].to_scalar();
    };
    const Scalar params[] = {given(1, 0), given(2, largest), given(3, -largest)};
    run_unary(UnaryOp::NanToNum, arguments, results, params);
}
std::vector<Sample> nan_to_num_samples(Random& random, ScalarType dtype) {
    return with_arguments(real_samples(random, dtype), {IValue(), IValue(), IValue()});
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::abs(Tensor self) -> Tensor",
     .summary = "Magnitude of each element.",
     .formula = "|x|",
     .infer = abs_infer,
     .kernel = FillingKernel{&abs_kernel},
     .derivative = {[](G& c) { c.set_grad("self", c.grad_output() * fn::sgn(c.argument("self"))); },
                    {save_argument("self")}},
     .gradient = "self: grad sgn(x)",
     .samples = kink_samples,
     .variants = kInPlace | kOut,
     .out = {.refusal = out_refusal::kFound},
     .sparse = {.run = on_sparse::coalesced_values},
     .dtypes = {kWithFloat8 & ~dtype_bit(ScalarType::Bool)}},
    {.schema = "aten::neg(Tensor self) -> Tensor",
     .summary = "Each element with its sign turned.",
     .formula = "-x",
     .infer = neg_infer,
     .kernel = unary<UnaryOp::Neg>,
     .derivative = {[](G& c) { c.set_grad("self", -c.grad_output()); }},
     .gradient = "self: -grad",
     .samples = negation_samples,
     .variants = kInPlace | kOut,
     .out = {.refusal = out_refusal::kFound},
     .sparse = {.run = on_sparse::values}},
    {.schema = "aten::sgn(Tensor self) -> Tensor",
     .summary = "Sign; for complex numbers x / |x|.",
     .formula = "x / |x|, 0 at 0",
     .infer = infer_same,
     .kernel = unary<UnaryOp::Sign>,
     .derivative = {sgn_backward, {save_argument("self"), save_result()}},
     .gradient = "self: 0 of real numbers; of complex ones (grad - conj(grad) out^2) / (2 |x|)",
     .samples = kink_samples,
     .variants = kInPlace | kOut,
     .out = {.refusal = out_refusal::kFound},
     .dtypes = {.kernel = "sign_cpu"}},
    rounding("aten::sign(Tensor self) -> Tensor", "Sign of each element: -1, 0 or 1.", unary<UnaryOp::Sign>,
             infer_rounding<kNoComplexSign>)
        .with_sparse({.run = on_sparse::coalesced_values})
        .with_out({.refusal = out_refusal::kFound})
        .with_formula("-1 if x < 0, 0 if x = 0, 1 if x > 0")
        .with_gradient("self: 0"),
    rounding("aten::floor(Tensor self) -> Tensor", "Largest integer not above.", unary<UnaryOp::Floor>,
             infer_rounding<kNoComplexFloor>)
        .with_dtypes({kNumbers, "floor_vml_cpu"})
        .with_out({.refusal = out_refusal::kFound})
        .with_formula("floor(x)")
        .with_gradient("self: 0"),
    rounding("aten::ceil(Tensor self) -> Tensor", "Smallest integer not below.", unary<UnaryOp::Ceil>,
             infer_rounding<kNoComplexCeil>)
        .with_dtypes({kNumbers, "ceil_vml_cpu"})
        .with_out({.refusal = out_refusal::kFound})
        .with_formula("ceil(x)")
        .with_gradient("self: 0"),
    rounding("aten::round(Tensor self) -> Tensor", "Nearest integer, halves to even.", unary<UnaryOp::Round>,
             infer_same_real)
        .with_dtypes({kNumbers, "round_vml_cpu"})
        .with_out({.refusal = out_refusal::kFound})
        .with_formula("round(x)")
        .with_gradient("self: 0"),
    rounding("aten::trunc(Tensor self) -> Tensor", "Integer part of each element.", unary<UnaryOp::Trunc>,
             infer_rounding<kNoComplexTrunc>)
        .with_dtypes({kNumbers, "trunc_vml_cpu"})
        .with_out({.refusal = out_refusal::kFound})
        .with_formula("trunc(x)")
        .with_gradient("self: 0"),
    {.schema = "aten::round.decimals(Tensor self, *, int decimals) -> Tensor",
     .summary = "Nearest multiple of a power of ten.",
     .formula = "round(x 10^decimals) / 10^decimals",
     .composite = round_decimals,
     .variants = kOut,
     .out = {.overload = "decimals_out"}},
    {.schema = "aten::frac(Tensor self) -> Tensor",
     .summary = "Fractional part, with the sign of x.",
     .formula = "x - trunc(x)",
     .infer = infer_same_floating,
     .kernel = unary<UnaryOp::Frac>,
     .derivative = {[](G& c) { c.set_grad("self", c.grad_output()); }},
     .gradient = "self: grad",
     .samples = kink_samples,
     .variants = kInPlace | kOut,
     .out = {.refusal = out_refusal::kFound}},
    {.schema = "aten::nan_to_num(Tensor self, float? nan=None, float? posinf=None, float? neginf=None) -> Tensor",
     .summary = "Replaces NaN and infinities, by default by 0 and the greatest numbers of the type.",
     .formula = "nan, posinf or neginf where x is that, else x",
     .infer = infer_same,
     .kernel = FillingKernel{&nan_to_num_kernel},
     .derivative = {[](G& c) { c.set_grad("self", keep_where(c.grad_output(), fn::isfinite(c.argument("self")))); },
                    {save_argument("self")}},
     .gradient = "self: grad where x is finite, else 0",
     .samples = nan_to_num_samples,
     .variants = kInPlace | kOut,
     .out = {.refusal = {"nan_to_num: dtype of out: {O} should be same as input: {T}"}},
     .dtypes = {kWithUnsigned, "nan_to_num"}},
    check("aten::isnan(Tensor self) -> Tensor", "Is it NaN?", test<TestOp::IsNan>)
        .with_dtypes({kAnyDtype})
        .with_sparse({.run = on_sparse::coalesced_values})
        .with_out({})
        .with_formula("x != x"),
    check("aten::isinf(Tensor self) -> Tensor", "Is it infinite?", test<TestOp::IsInf>)
        .with_dtypes({kAnyDtype})
        .with_sparse({.run = on_sparse::coalesced_values})
        .with_out({})
        .with_formula("|x| = inf"),
    check("aten::isfinite(Tensor self) -> Tensor", "Is it neither infinite nor NaN?", test<TestOp::IsFinite>)
        .with_dtypes({kAnyDtype})
        .with_sparse({.run = on_sparse::coalesced_values})
        .with_formula("|x| < inf"),
    check("aten::isposinf(Tensor self) -> Tensor", "Is it plus infinity?", test<TestOp::IsPosInf>, kOut)
        .with_dtypes({kWithUnsigned})
        .with_out({.refusal = out_refusal::kNonBoolean})
        .with_formula("x = inf"),
    check("aten::isneginf(Tensor self) -> Tensor", "Is it minus infinity?", test<TestOp::IsNegInf>, kOut)
        .with_dtypes({kWithUnsigned})
        .with_out({.refusal = out_refusal::kNonBoolean})
        .with_formula("x = -inf"),
    check("aten::signbit(Tensor self) -> Tensor", "Is the sign bit set?", test<TestOp::SignBit>, kOut)
        .with(&OperatorRecord::infer, &infer_signbit)
        .with_dtypes({kWithUnsigned})
        .with_out({.refusal = out_refusal::kNonBoolean})
        .with_formula("x < 0, or x is -0"),
    check("aten::logical_not(Tensor self) -> Tensor", "Is it zero?", test<TestOp::LogicalNot>, kInPlace | kOut)
        .with_formula("x = 0"),
};

}  // namespace

std::span<const OperatorRecord> pointwise::rounding_records() { return kRecords; }

}  // namespace loupe
