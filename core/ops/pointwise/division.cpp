// SPDX-License-Identifier: Apache-2.0
// div with its rounding modes, floor_divide, remainder, fmod.

#include "core/kernels/arithmetic.h"
#include "core/ops/not_finite.h"
#include "core/ops/pointwise/family.h"
#include "core/ops/pointwise/pointwise.h"
#include "core/ops/sparse/sparse.h"

namespace loupe {
namespace {

using namespace arithmetic;
using namespace pointwise;
using G = GradientContext;

enum class Rounding { True, Trunc, Floor };

Rounding rounding_of(const IValue& mode) {
    if (mode.is_none()) return Rounding::True;
    const std::string& text = mode.to_string();
    if (text == "trunc") return Rounding::Trunc;
    require(text == "floor", "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '", text,
            "'");
    return Rounding::Floor;
}

void infer_mode(Arguments arguments, MetaList& outputs) {
    if (rounding_of(arguments[2]) == Rounding::True)
        infer_binary_float(arguments, outputs);
    else
        infer_binary_real(arguments, outputs);
    const bool is_rounded = rounding_of(arguments[2]) != Rounding::True;
    require(!is_rounded || !has_dtype(kUnsignedDtypes | dtype_bit(ScalarType::Bool), outputs[0].dtype), "\"",
            rounding_of(arguments[2]) == Rounding::Trunc ? "div_trunc_cpu" : "div_floor_cpu",
            "\" not implemented for '", dtype_graph_name(outputs[0].dtype), "'");
}
// Booleans are not divided with rounding.
void infer_rounded(Arguments arguments, MetaList& outputs) {
    infer_binary_real(arguments, outputs);
    require(outputs[0].dtype != ScalarType::Bool, "not implemented for 'Bool'");
}
void run_rounded(BinaryOp op, Arguments arguments, IValue* results) { run_binary(op, arguments, results); }
void mode_kernel(Arguments arguments, IValue* results) {
    switch (rounding_of(arguments[2])) {
        case Rounding::True:
            run_binary(BinaryOp::Div, arguments, results);
            break;
        case Rounding::Trunc:
            run_rounded(BinaryOp::DivTrunc, arguments, results);
            break;
        case Rounding::Floor:
            run_rounded(BinaryOp::DivFloor, arguments, results);
            break;
    }
}
void floor_divide_kernel(Arguments arguments, IValue* results) { run_rounded(BinaryOp::DivFloor, arguments, results); }
void remainder_kernel(Arguments arguments, IValue* results) { run_rounded(BinaryOp::Remainder, arguments, results); }
void fmod_kernel(Arguments arguments, IValue* results) { run_rounded(BinaryOp::Fmod, arguments, results); }

void div_backward(G& c) {
    const Tensor divisor = conj(c.argument("other"));
    c.grad("self", [&] { return c.grad_output() / divisor; });
    c.grad("other", [&] { return -c.grad_output() * (conj(c.argument("self")) / divisor / divisor); });
}
void div_scalar_backward(G& c) { c.set_grad("self", c.grad_output() / conj(c.value("other").to_scalar())); }
void zero_gradients(G& c) {
    c.grad("self", [&] { return fn::zeros_like(c.grad_output()); });
    c.grad("other", [&] { return fn::zeros_like(c.grad_output()); });
}
void mode_backward(G& c) {
    if (rounding_of(c.value("rounding_mode")) == Rounding::True)
        div_backward(c);
    else
        zero_gradients(c);
}
void mode_scalar_backward(G& c) {
    if (rounding_of(c.value("rounding_mode")) == Rounding::True)
        div_scalar_backward(c);
    else
        c.set_grad("self", fn::zeros_like(c.grad_output()));
}
// a - b round(a / b)
void remainder_backward(G& c) {
    c.grad("self", [&] { return c.grad_output(); });
    c.grad("other", [&] { return -c.grad_output() * fn::div_mode(c.argument("self"), c.argument("other"), "floor"); });
}
void fmod_backward(G& c) {
    c.grad("self", [&] { return c.grad_output(); });
    c.grad("other", [&] { return -c.grad_output() * fn::div_mode(c.argument("self"), c.argument("other"), "trunc"); });
}
void first_only(G& c) { c.set_grad("self", c.grad_output()); }

template <bool kScalar>
std::vector<Sample> mode_samples(Random& random, ScalarType dtype) {
    if (dtype == ScalarType::Bool) return {};
    const auto base = kScalar ? real_scalar_samples : real_divisor_samples;
    std::vector<Sample> samples;
    for (const IValue& mode : {IValue(), IValue("trunc"), IValue("floor")}) {
        for (Sample& s : with_arguments(base(random, dtype), {mode})) samples.push_back(std::move(s));
    }
    return samples;
}
std::vector<Sample> rounded_samples(Random& random, ScalarType dtype) {
    return dtype == ScalarType::Bool ? std::vector<Sample>() : real_divisor_samples(random, dtype);
}
std::vector<Sample> of_number_samples(Random& random, ScalarType dtype) {
    std::vector<Sample> samples = rounded_samples(random, dtype);
    for (Sample& s : samples) s.arguments[0] = Scalar(7.3);
    return samples;
}
std::vector<Sample> rounded_scalar_samples(Random& random, ScalarType dtype) {
    return dtype == ScalarType::Bool ? std::vector<Sample>() : real_scalar_samples(random, dtype);
}

constexpr Derivative kModeDerivative{
    mode_backward, {save_argument("self", "other"), save_argument("other")}, "DivBackward2"};

using In = NotFiniteNote::In;
using When = NotFiniteNote::When;
constexpr NotFiniteNote kDivNotFinite[] = {
    {In::Either, When::Zero, 1, "division by 0", advice::kDivide},
    {In::Either, When::Infinite, 0, "Inf / Inf", advice::kDifference},
    {In::Forward, When::Always, 0, "a quotient that leaves the range of its dtype", advice::kDivide},
};
constexpr NotFiniteNote kFloorDivideNotFinite[] = {
    {In::Forward, When::Zero, 1, "division by 0", advice::kDivide},
};
constexpr NotFiniteNote kRemainderNotFinite[] = {
    {In::Forward, When::Zero, 1, "the remainder of a division by 0", advice::kDivide},
};

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::div.Tensor(Tensor self, Tensor other) -> Tensor",
     .summary = "Quotient; integers give floating results.",
     .formula = "self / other",
     .infer = infer_binary_float,
     .kernel = binary<BinaryOp::Div>,
     .derivative = {div_backward, {save_argument("self", "other"), save_argument("other")}},
     .gradient = "self: grad / other\nother: -grad self / other^2",
     .samples = divisor_samples,
     .variants = kInPlace | kOut,
     .sparse = {.run = on_sparse::scale},
     .python = {.takes_numbers = true},
     .not_finite = kDivNotFinite,
     .dtypes = {kWithUnsigned}},
    {.schema = "aten::div.Scalar(Tensor self, Scalar other) -> Tensor",
     .summary = "Quotient by a number.",
     .formula = "self / other",
     .infer = infer_binary_float,
     .kernel = binary<BinaryOp::Div>,
     .derivative = {div_scalar_backward, {}, "DivBackward1"},
     .samples = scalar_samples,
     .variants = kInPlace | kOut,
     .out = {.overload = "Scalar_out"},
     .sparse = {.run = on_sparse::scale},
     .python = {.number_is_tensor = true},
     .dtypes = {kWithUnsigned, "div_cpu_reduced_float"}},
    {.schema = "aten::div.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor",
     .summary = "Quotient, rounded towards 0 ('trunc') or down ('floor').",
     .formula = "round(self / other), towards 0 or down; unrounded without a mode",
     .infer = infer_mode,
     .kernel = FillingKernel{&mode_kernel},
     .derivative = kModeDerivative,
     .gradient = "self: 0; without a mode grad / other\nother: 0; without a mode -grad self / other^2",
     .samples = mode_samples<false>,
     .variants = kInPlace | kOut,
     .out = {.overload = "out_mode"},
     .sparse = {.run = on_sparse::scale},
     .python = {.takes_numbers = true},
     .dtypes = {kWithUnsigned, "div_trunc_cpu"}},
    {.schema = "aten::div.Scalar_mode(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor",
     .summary = "Quotient by a number, rounded.",
     .formula = "round(self / other), towards 0 or down; unrounded without a mode",
     .infer = infer_mode,
     .kernel = FillingKernel{&mode_kernel},
     .derivative = {mode_scalar_backward, {}, "DivBackward3"},
     .gradient = "self: 0; without a mode grad / other",
     .samples = mode_samples<true>,
     .variants = kInPlace | kOut,
     .out = {.overload = "Scalar_mode_out"},
     .sparse = {.run = on_sparse::scale},
     .python = {.takes_numbers = true},
     .dtypes = {kWithUnsigned, "div_trunc_cpu"}},
    {.schema = "aten::floor_divide(Tensor self, Tensor other) -> Tensor",
     .summary = "Quotient rounded down, Python's //.",
     .formula = "floor(self / other)",
     .infer = infer_rounded,
     .kernel = FillingKernel{&floor_divide_kernel},
     .derivative = {zero_gradients},
     .gradient = "self: 0\nother: 0",
     .samples = rounded_samples,
     .variants = kInPlace | kOut,
     .python = {.takes_numbers = true},
     .not_finite = kFloorDivideNotFinite,
     .dtypes = {.kernel = "div_floor_cpu"}},
    {.schema = "aten::floor_divide.Scalar(Tensor self, Scalar other) -> Tensor",
     .summary = "Quotient by a number, rounded down.",
     .formula = "floor(self / other)",
     .infer = infer_rounded,
     .kernel = FillingKernel{&floor_divide_kernel},
     .derivative = {[](G& c) { c.set_grad("self", fn::zeros_like(c.grad_output())); }},
     .samples = rounded_scalar_samples,
     .variants = kInPlace | kOut,
     .out = {.overload = "Scalar_out"},
     .python = {.takes_numbers = true},
     .dtypes = {.kernel = "div_floor_cpu"}},
    {.schema = "aten::remainder.Tensor(Tensor self, Tensor other) -> Tensor",
     .summary = "Remainder with the sign of the divisor, Python's %.",
     .formula = "self - other floor(self / other)",
     .infer = infer_rounded,
     .kernel = FillingKernel{&remainder_kernel},
     .derivative = {remainder_backward,
                    {save_argument("self", "other"), save_argument("other", "other")},
                    "RemainderBackward1"},
     .gradient = "self: grad\nother: -grad floor(self / other)",
     .samples = rounded_samples,
     .variants = kInPlace | kOut,
     .out = {.overload = "Tensor_out"},
     .not_finite = kRemainderNotFinite},
    {.schema = "aten::remainder.Scalar(Tensor self, Scalar other) -> Tensor",
     .summary = "Remainder by a number, with its sign.",
     .infer = infer_rounded,
     .kernel = FillingKernel{&remainder_kernel},
     .derivative = {first_only},
     .samples = rounded_scalar_samples,
     .variants = kInPlace | kOut,
     .out = {.overload = "Scalar_out"}},
    {.schema = "aten::remainder.Scalar_Tensor(Scalar self, Tensor other) -> Tensor",
     .summary = "Remainder of a number.",
     .infer = infer_rounded,
     .kernel = FillingKernel{&remainder_kernel},
     .derivative = {[](G& c) {
                        const Tensor other = c.argument("other");
                        const Tensor self = fn::full_like(other, c.value("self").to_scalar());
                        c.set_grad("other", -c.grad_output() * fn::div_mode(self, other, "floor"));
                    },
                    {save_argument("other")}},
     .samples = of_number_samples,
     .variants = kOut,
     .out = {.overload = "Scalar_Tensor_out"}},
    {.schema = "aten::fmod.Tensor(Tensor self, Tensor other) -> Tensor",
     .summary = "Remainder with the sign of the dividend, C's fmod.",
     .formula = "self - other trunc(self / other)",
     .infer = infer_rounded,
     .kernel = FillingKernel{&fmod_kernel},
     .derivative = {fmod_backward, {save_argument("self", "other"), save_argument("other", "other")}, "FmodBackward1"},
     .gradient = "self: grad\nother: -grad trunc(self / other)",
     .samples = rounded_samples,
     .variants = kInPlace | kOut,
     .out = {.overload = "Tensor_out"},
     .not_finite = kRemainderNotFinite},
    {.schema = "aten::fmod.Scalar(Tensor self, Scalar other) -> Tensor",
     .summary = "Remainder by a number, with the sign of the dividend.",
     .infer = infer_rounded,
     .kernel = FillingKernel{&fmod_kernel},
     .derivative = {first_only},
     .samples = rounded_scalar_samples,
     .variants = kInPlace | kOut,
     .out = {.overload = "Scalar_out"}},
};

}  // namespace

std::span<const OperatorRecord> pointwise::division_records() { return kRecords; }

}  // namespace loupe
