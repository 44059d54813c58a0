// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <limits>

#include "core/base/error.h"
#include "core/kernels/promotion.h"
#include "plugins/onnx/export/rules.h"

namespace loupe::onnx_export {
namespace {

struct Two {
    OnnxValue a;
    OnnxValue b;
};

Two operands(Call& c) {
    const ScalarType dtype = c.common({"self", "other"});
    return {c.value("self", dtype), c.value("other", dtype)};
}

OnnxValue scaled(Call& c, const OnnxValue& x, std::string_view factor) {
    if (!c.has(factor) || (c.is_known(factor) && c.real(factor) == 1)) return x;
    return c.b.binary("Mul", x, c.value(factor, x.dtype));
}

RuleResults add(Call& c) {
    const auto [a, b] = operands(c);
    if (a.dtype == ScalarType::Bool) return c.b.compare("Or", a, b);
    return c.b.binary("Add", a, scaled(c, b, "alpha"));
}

RuleResults sub(Call& c) {
    const auto [a, b] = operands(c);
    return c.b.binary("Sub", a, scaled(c, b, "alpha"));
}

RuleResults rsub(Call& c) {
    const auto [a, b] = operands(c);
    return c.b.binary("Sub", b, scaled(c, a, "alpha"));
}

RuleResults mul(Call& c) {
    const auto [a, b] = operands(c);
    return a.dtype == ScalarType::Bool ? c.b.compare("And", a, b) : c.b.binary("Mul", a, b);
}

OnnxValue floor_quotient(Call& c, const OnnxValue& a, const OnnxValue& b) {
    if (is_floating(a.dtype)) return c.b.map("Floor", {c.b.binary("Div", a, b)});
    // ONNX's quotient of integers is cut towards zero; its Mod has the divisor's sign, as Python's.
    const OnnxValue rest = c.b.binary("Mod", a, b);
    return c.b.binary("Div", c.b.binary("Sub", a, rest), b);
}

OnnxValue cut_quotient(Call& c, const OnnxValue& a, const OnnxValue& b) {
    const OnnxValue quotient = c.b.binary("Div", a, b);
    if (!is_floating(a.dtype)) return quotient;
    return c.b.binary("Mul", c.b.map("Sign", {quotient}), c.b.map("Floor", {c.b.map("Abs", {quotient})}));
}

RuleResults div(Call& c) {
    ScalarType dtype = c.common({"self", "other"});
    const std::string mode = c.has("rounding_mode") ? c.text("rounding_mode") : "";
    if (mode.empty() && is_integral(dtype)) dtype = ScalarType::Float32;
    const OnnxValue a = c.value("self", dtype);
    const OnnxValue b = c.value("other", dtype);
    if (mode == "floor") return floor_quotient(c, a, b);
    if (mode == "trunc") return cut_quotient(c, a, b);
    return c.b.binary("Div", a, b);
}

RuleResults floor_divide(Call& c) {
    const auto [a, b] = operands(c);
    return floor_quotient(c, a, b);
}

RuleResults remainder(Call& c) {
    const auto [a, b] = operands(c);
    if (!is_floating(a.dtype)) return c.b.binary("Mod", a, b);
    const OnnxValue whole = c.b.map("Floor", {c.b.binary("Div", a, b)});
    return c.b.binary("Sub", a, c.b.binary("Mul", whole, b));
}

RuleResults fmod(Call& c) {
    const auto [a, b] = operands(c);
    return c.b.emit("Mod", {a, b}, {{"fmod", std::int64_t{1}}}, a.dtype, broadcast_sizes(a.sizes, b.sizes));
}

RuleResults pow(Call& c) {
    const ScalarType dtype = c.common({"self", "exponent"});
    const OnnxValue base = c.value("self", dtype);
    const OnnxValue exponent = c.value("exponent", dtype);
    if (c.operand("exponent").kind == Operand::Kind::Constant && c.scalar("exponent").to_double() == 2)
        return c.b.map("Mul", {base, base});
    return c.b.binary("Pow", base, exponent);
}

RuleResults float_power(Call& c) {
    return c.b.binary("Pow", c.value("self", ScalarType::Float64), c.value("exponent", ScalarType::Float64));
}

template <int kSign>
RuleResults extreme(Call& c) {
    const auto [a, b] = operands(c);
    if (a.dtype == ScalarType::Bool) return c.b.compare(kSign > 0 ? "Or" : "And", a, b);
    return c.b.binary(kSign > 0 ? "Max" : "Min", a, b);
}

// fmax and fmin: NaN counts as no number.
template <int kSign>
RuleResults number_extreme(Call& c) {
    const auto [a, b] = operands(c);
    const OnnxValue both = c.b.binary(kSign > 0 ? "Max" : "Min", a, b);
    if (!is_floating(a.dtype)) return both;
    const OnnxValue is_a_nan = c.b.emit("IsNaN", {a}, {}, ScalarType::Bool, a.sizes);
    const OnnxValue is_b_nan = c.b.emit("IsNaN", {b}, {}, ScalarType::Bool, b.sizes);
    return c.b.where(is_a_nan, b, c.b.where(is_b_nan, a, both));
}

RuleResults clamp(Call& c) {
    const ScalarType dtype = c.common({"self", "min", "max"});
    OnnxValue x = c.value("self", dtype);
    // Clip's bounds have no dimensions; tensors as bounds are Max and Min.
    if (c.has("min")) x = c.b.binary("Max", x, c.value("min", dtype));
    if (c.has("max")) x = c.b.binary("Min", x, c.value("max", dtype));
    return x;
}

RuleResults clamp_numbers(Call& c) {
    const ScalarType dtype = c.common({"self", "min", "max"});
    const OnnxValue x = c.value("self", dtype);
    const bool has_clip = c.b.opset() >= 12 || is_floating(dtype);
    if (!has_clip) return clamp(c);
    return c.b.map("Clip", {x, c.value("min", dtype), c.value("max", dtype)});
}

RuleResults addcmul(Call& c) {
    const ScalarType dtype = c.common({"self", "tensor1", "tensor2"});
    const OnnxValue product = c.b.binary("Mul", c.value("tensor1", dtype), c.value("tensor2", dtype));
    return c.b.binary("Add", c.value("self", dtype), scaled(c, product, "value"));
}

RuleResults addcdiv(Call& c) {
    const ScalarType dtype = c.common({"self", "tensor1", "tensor2"});
    const OnnxValue quotient = c.b.binary("Div", c.value("tensor1", dtype), c.value("tensor2", dtype));
    return c.b.binary("Add", c.value("self", dtype), scaled(c, quotient, "value"));
}

RuleResults lerp(Call& c) {
    const OnnxValue a = c.tensor("self");
    const OnnxValue b = c.value("end", a.dtype);
    const OnnxValue weight = c.value("weight", a.dtype);
    return c.b.binary("Add", a, c.b.binary("Mul", c.b.binary("Sub", b, a), weight));
}

RuleResults copysign(Call& c) {
    ScalarType dtype = c.common({"self", "other"});
    if (is_integral(dtype)) dtype = ScalarType::Float32;
    const OnnxValue size = c.b.map("Abs", {c.value("self", dtype)});
    const OnnxValue sign = c.value("other", dtype);
    return c.b.where(c.b.compare("Less", sign, c.b.number(std::int64_t{0}, dtype)), c.b.map("Neg", {size}), size);
}

RuleResults atan2(Call& c) {
    ScalarType dtype = c.common({"self", "other"});
    if (is_integral(dtype)) dtype = ScalarType::Float32;
    const OnnxValue y = c.value("self", dtype);
    const OnnxValue x = c.value("other", dtype);
    const OnnxValue zero = c.b.number(std::int64_t{0}, dtype);
    const OnnxValue pi = c.b.number(3.14159265358979323846, dtype);
    const OnnxValue slope = c.b.map("Atan", {c.b.binary("Div", y, x)});
    const OnnxValue turned =
        c.b.where(c.b.compare("Less", y, zero), c.b.binary("Sub", slope, pi), c.b.binary("Add", slope, pi));
    const OnnxValue angle = c.b.where(c.b.compare("Less", x, zero), turned, slope);
    // Of 0 and 0: no slope.
    const OnnxValue is_nan = c.b.emit("IsNaN", {slope}, {}, ScalarType::Bool, slope.sizes);
    return c.b.where(is_nan, c.b.binary("Mul", y, x), angle);
}

Two floating_operands(Call& c) {
    const ScalarType dtype = floating_type(c.common({"self", "other"}));
    return {c.value("self", dtype), c.value("other", dtype)};
}

RuleResults hypot(Call& c) {
    const auto [a, b] = floating_operands(c);
    return c.b.map("Sqrt", {c.b.binary("Add", c.b.map("Mul", {a, a}), c.b.map("Mul", {b, b}))});
}

// max + log(base^-|difference| + 1); of two infinities the sum is that infinity.
RuleResults logaddexp(Call& c) {
    Builder& b = c.b;
    const auto [x, y] = floating_operands(c);
    const bool is_two = c.name() == "aten::logaddexp2";
    const double log_two = 0.69314718055994530942;
    const OnnxValue most = b.binary("Max", x, y);
    OnnxValue gap = b.map("Neg", {b.map("Abs", {b.binary("Sub", x, y)})});
    if (is_two) gap = b.binary("Mul", gap, b.number(log_two, x.dtype));
    OnnxValue more = b.map("Log", {b.binary("Add", b.map("Exp", {gap}), b.number(1.0, x.dtype))});
    if (is_two) more = b.binary("Div", more, b.number(log_two, x.dtype));
    return b.where(b.compare("Equal", x, y), b.binary("Add", most, b.number(is_two ? 1.0 : log_two, x.dtype)),
                   b.binary("Add", most, more));
}

RuleResults xlogy(Call& c) {
    Builder& b = c.b;
    const auto [x, y] = floating_operands(c);
    const OnnxValue zero = b.number(0.0, x.dtype);
    const OnnxValue product = b.binary("Mul", x, b.map("Log", {y}));
    const OnnxValue is_nan = b.emit("IsNaN", {y}, {}, ScalarType::Bool, y.sizes);
    const OnnxValue kept = b.where(b.compare("Equal", x, zero), zero, product);
    return b.where(is_nan, y, kept);
}

RuleResults xlog1py(Call& c) {
    Builder& b = c.b;
    const auto [x, y] = floating_operands(c);
    const OnnxValue zero = b.number(0.0, x.dtype);
    const OnnxValue product = b.binary("Mul", x, b.map("Log", {b.binary("Add", y, b.number(1.0, x.dtype))}));
    const OnnxValue is_nan = b.emit("IsNaN", {y}, {}, ScalarType::Bool, y.sizes);
    return b.where(is_nan, y, b.where(b.compare("Equal", x, zero), zero, product));
}

// -x log(x), 0 at 0, -inf below.
RuleResults entr(Call& c) {
    Builder& b = c.b;
    const OnnxValue x = c.value("self", c.floating("self"));
    const OnnxValue zero = b.number(0.0, x.dtype);
    const OnnxValue inside = b.map("Neg", {b.map("Mul", {x, b.map("Log", {x})})});
    const OnnxValue below = b.number(-std::numeric_limits<double>::infinity(), x.dtype);
    const OnnxValue low = b.where(b.compare("Equal", x, zero), zero, below);
    const OnnxValue is_nan = b.emit("IsNaN", {x}, {}, ScalarType::Bool, x.sizes);
    return b.where(is_nan, x, b.where(b.compare("Greater", x, zero), inside, low));
}

RuleResults isin(Call& c) {
    Builder& b = c.b;
    const OnnxValue tests = b.reshape(c.tensor("test_elements"), std::array<std::int64_t, 1>{-1});
    const OnnxValue x = b.unsqueeze(b.cast(c.tensor("elements"), tests.dtype), {-1});
    const std::array<std::int64_t, 1> last{-1};
    const OnnxValue hits = b.cast(b.compare("Equal", x, tests), ScalarType::Int64);
    const OnnxValue found = b.cast(b.reduce("ReduceSum", hits, last, false), ScalarType::Bool);
    return c.flag("invert") ? b.map("Not", {found}) : found;
}

RuleResults shift(Call& c) {
    const auto [a, b] = operands(c);
    const bool is_left = c.name().find("left") != std::string_view::npos || c.name() == "aten::__lshift__";
    const OnnxValue factor = c.b.binary("Pow", c.b.number(std::int64_t{2}, a.dtype), b);
    return is_left ? c.b.binary("Mul", a, factor) : floor_quotient(c, a, factor);
}

RuleResults copy(Call& c) { return c.value("src", c.tensor("self").dtype); }
RuleResults fill(Call& c) { return c.value("value", c.tensor("self").dtype); }
RuleResults zero(Call& c) { return c.b.number(std::int64_t{0}, c.tensor("self").dtype); }

const Rule kRules[] = {
    {"aten::add", add},
    {"aten::sub", sub},
    {"aten::subtract", sub},
    {"aten::rsub", rsub},
    {"aten::mul", mul},
    {"aten::multiply", mul},
    {"aten::div", div},
    {"aten::divide", div},
    {"aten::true_divide", div},
    {"aten::floor_divide", floor_divide},
    {"aten::remainder", remainder},
    {"aten::fmod", fmod},
    {"aten::pow", pow},
    {"aten::float_power", float_power},
    {"aten::maximum", extreme<1>},
    {"aten::minimum", extreme<-1>},
    {"aten::max.other", extreme<1>},
    {"aten::min.other", extreme<-1>},
    {"aten::fmax", number_extreme<1>},
    {"aten::fmin", number_extreme<-1>},
    {"aten::clamp", clamp_numbers},
    {"aten::clip", clamp_numbers},
    {"aten::clamp.Tensor", clamp},
    {"aten::clip.Tensor", clamp},
    {"aten::clamp_min", clamp},
    {"aten::clamp_max", clamp},
    {"aten::addcmul", addcmul},
    {"aten::addcdiv", addcdiv},
    {"aten::lerp", lerp},
    {"aten::copysign", copysign},
    {"aten::atan2", atan2},
    {"aten::arctan2", atan2},
    {"aten::hypot", hypot},
    {"aten::logaddexp", logaddexp},
    {"aten::logaddexp2", logaddexp},
    {"aten::xlogy", xlogy},
    {"aten::special_xlogy", xlogy},
    {"aten::special_xlog1py", xlog1py},
    {"aten::special_entr", entr},
    {"aten::isin.Tensor_Tensor", isin},
    {"aten::bitwise_left_shift", shift},
    {"aten::bitwise_right_shift", shift},
    {"aten::__lshift__", shift},
    {"aten::__rshift__", shift},
    {"aten::copy_", copy},
    {"aten::copy", copy},
    {"aten::fill_", fill},
    {"aten::fill",
     [](Call& c) -> RuleResults {
         return c.b.expand(fill(c).values[0][0], c.b.shape(c.tensor("self")), c.tensor("self").sizes);
     }},
    {"aten::zero_", zero},
};

}  // namespace

std::span<const Rule> arithmetic_rules() { return kRules; }

}  // namespace loupe::onnx_export
