// SPDX-License-Identifier: Apache-2.0
// One element of the result from one element of the input.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "plugins/onnx/export/rules.h"

namespace loupe::onnx_export {
namespace {

struct Named {
    std::string_view aten;
    std::string_view onnx;
};

// Of floating values; integers become floating first.
constexpr std::array kFloating = {
    Named{"aten::exp", "Exp"},         Named{"aten::log", "Log"},
    Named{"aten::sqrt", "Sqrt"},       Named{"aten::sin", "Sin"},
    Named{"aten::cos", "Cos"},         Named{"aten::tan", "Tan"},
    Named{"aten::asin", "Asin"},       Named{"aten::acos", "Acos"},
    Named{"aten::atan", "Atan"},       Named{"aten::sinh", "Sinh"},
    Named{"aten::cosh", "Cosh"},       Named{"aten::asinh", "Asinh"},
    Named{"aten::acosh", "Acosh"},     Named{"aten::atanh", "Atanh"},
    Named{"aten::tanh", "Tanh"},       Named{"aten::sigmoid", "Sigmoid"},
    Named{"aten::erf", "Erf"},         Named{"aten::reciprocal", "Reciprocal"},
    Named{"aten::special_erf", "Erf"}, Named{"aten::special_expit", "Sigmoid"},
};
// Of any values.
constexpr std::array kKeeping = {Named{"aten::neg", "Neg"},      Named{"aten::abs", "Abs"},
                                 Named{"aten::sign", "Sign"},    Named{"aten::relu", "Relu"},
                                 Named{"aten::negative", "Neg"}, Named{"aten::absolute", "Abs"}};
// Integers are what they were.
constexpr std::array kRounding = {Named{"aten::ceil", "Ceil"}, Named{"aten::floor", "Floor"},
                                  Named{"aten::round", "Round"}};

template <std::size_t N>
std::string_view onnx_name(const std::array<Named, N>& table, std::string_view name) {
    return std::find_if(table.begin(), table.end(), [&](const Named& each) { return each.aten == name; })->onnx;
}

RuleResults floating(Call& c) { return c.b.map(onnx_name(kFloating, c.name()), {c.value("self", c.floating("self"))}); }

RuleResults keeping(Call& c) {
    const std::string_view op = onnx_name(kKeeping, c.name());
    const OnnxValue x = c.tensor("self");
    // Below opset 14 ONNX has Relu of floating values alone.
    if (op == "Relu" && c.b.opset() < 14 && !is_floating(x.dtype))
        return c.b.binary("Max", x, c.b.number(std::int64_t{0}, x.dtype));
    if (op == "Abs" && x.dtype == ScalarType::Bool) return x;
    return c.b.map(op, {x});
}

RuleResults rounding(Call& c) {
    const OnnxValue x = c.tensor("self");
    if (!is_floating(x.dtype)) return x;
    if (!c.has("decimals")) return c.b.map(onnx_name(kRounding, c.name()), {x});
    const OnnxValue scale = c.b.number(std::pow(10.0, static_cast<double>(c.integer("decimals"))), x.dtype);
    return c.b.binary("Div", c.b.map("Round", {c.b.binary("Mul", x, scale)}), scale);
}

OnnxValue number_like(Call& c, double value, const OnnxValue& x) { return c.b.number(value, x.dtype); }

template <int kBase>
RuleResults logarithm(Call& c) {
    const OnnxValue x = c.value("self", c.floating("self"));
    return c.b.binary("Div", c.b.map("Log", {x}), number_like(c, std::log(static_cast<double>(kBase)), x));
}

RuleResults log1p(Call& c) {
    const OnnxValue x = c.value("self", c.floating("self"));
    // log(1 + x) x / ((1 + x) - 1): exact where 1 + x is rounded; x itself where that gives 1.
    const OnnxValue one = number_like(c, 1, x);
    const OnnxValue sum = c.b.binary("Add", x, one);
    const OnnxValue lost = c.b.binary("Sub", sum, one);
    const OnnxValue log = c.b.map("Log", {sum});
    const OnnxValue scaled = c.b.binary("Mul", log, c.b.binary("Div", x, lost));
    const OnnxValue is_tiny = c.b.compare("Equal", lost, number_like(c, 0, x));
    const OnnxValue is_large = c.b.compare("Greater", x, number_like(c, 1e6, x));
    return c.b.where(is_tiny, x, c.b.where(is_large, log, scaled));
}

RuleResults expm1(Call& c) {
    const OnnxValue x = c.value("self", c.floating("self"));
    // Near zero the difference loses digits: 2 tanh(x / 2) / (1 - tanh(x / 2)) does not.
    const OnnxValue half = c.b.map("Tanh", {c.b.binary("Mul", x, number_like(c, 0.5, x))});
    const OnnxValue small =
        c.b.binary("Div", c.b.binary("Mul", number_like(c, 2, x), half), c.b.binary("Sub", number_like(c, 1, x), half));
    const OnnxValue large = c.b.binary("Sub", c.b.map("Exp", {x}), number_like(c, 1, x));
    return c.b.where(c.b.compare("Less", c.b.map("Abs", {x}), number_like(c, 1, x)), small, large);
}

RuleResults rsqrt(Call& c) { return c.b.map("Reciprocal", {c.b.map("Sqrt", {c.value("self", c.floating("self"))})}); }

RuleResults square(Call& c) {
    const OnnxValue x = c.tensor("self");
    return c.b.map("Mul", {x, x});
}

RuleResults exp2(Call& c) {
    const OnnxValue x = c.value("self", c.floating("self"));
    return c.b.binary("Pow", number_like(c, 2, x), x);
}

RuleResults erfc(Call& c) {
    const OnnxValue x = c.value("self", c.floating("self"));
    return c.b.binary("Sub", number_like(c, 1, x), c.b.map("Erf", {x}));
}

RuleResults trunc(Call& c) {
    const OnnxValue x = c.tensor("self");
    if (!is_floating(x.dtype)) return x;
    return c.b.binary("Mul", c.b.map("Sign", {x}), c.b.map("Floor", {c.b.map("Abs", {x})}));
}

RuleResults frac(Call& c) {
    const OnnxValue x = c.tensor("self");
    const OnnxValue whole = c.b.binary("Mul", c.b.map("Sign", {x}), c.b.map("Floor", {c.b.map("Abs", {x})}));
    return c.b.binary("Sub", x, whole);
}

template <bool kToRadians>
RuleResults angle(Call& c) {
    const OnnxValue x = c.value("self", c.floating("self"));
    constexpr double kFactor = std::numbers::pi / 180;
    return c.b.binary("Mul", x, number_like(c, kToRadians ? kFactor : 1 / kFactor, x));
}

RuleResults logical_not(Call& c) { return c.b.map("Not", {c.value("self", ScalarType::Bool)}); }

RuleResults bitwise_not(Call& c) {
    const OnnxValue x = c.tensor("self");
    if (x.dtype == ScalarType::Bool) return c.b.map("Not", {x});
    if (c.b.opset() >= 18) return c.b.map("BitwiseNot", {x});
    // ~x = -1 - x in two's complement.
    return c.b.binary("Sub", c.b.number(std::int64_t{-1}, x.dtype), x);
}

OnnxValue is_nan(Call& c, const OnnxValue& x) { return c.b.emit("IsNaN", {x}, {}, ScalarType::Bool, x.sizes); }
OnnxValue none_true(Call& c, const OnnxValue& x) {
    // Integers have neither NaN nor infinities.
    return c.b.compare("Less", x, x);
}

RuleResults isnan(Call& c) {
    const OnnxValue x = c.tensor("self");
    return is_floating(x.dtype) ? is_nan(c, x) : none_true(c, x);
}

template <int kSigns>
RuleResults isinf(Call& c) {
    const OnnxValue x = c.tensor("self");
    if (!is_floating(x.dtype)) return none_true(c, x);
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const OnnxValue high = c.b.compare("Equal", x, number_like(c, kInfinity, x));
    if (kSigns > 0) return high;
    const OnnxValue low = c.b.compare("Equal", x, number_like(c, -kInfinity, x));
    return kSigns < 0 ? low : c.b.emit("Or", {high, low}, {}, ScalarType::Bool, x.sizes);
}

RuleResults isfinite(Call& c) {
    const OnnxValue x = c.tensor("self");
    if (!is_floating(x.dtype)) return c.b.compare("Equal", x, x);
    // Of x - x: 0 of a number, NaN of the others.
    return c.b.compare("Equal", c.b.map("Sub", {x, x}), number_like(c, 0, x));
}

RuleResults signbit(Call& c) {
    const OnnxValue x = c.tensor("self");
    return c.b.compare("Less", x, c.b.number(std::int64_t{0}, x.dtype));
}

double largest_of(ScalarType dtype) {
    switch (dtype) {
        case ScalarType::Float16:
            return 65504;
        case ScalarType::BFloat16:
            return 3.3895313892515355e38;
        case ScalarType::Float64:
            return std::numeric_limits<double>::max();
        case ScalarType::Float8E4M3FN:
            return 448;
        case ScalarType::Float8E5M2:
        case ScalarType::Float8E5M2FNUZ:
            return 57344;
        case ScalarType::Float8E4M3FNUZ:
            return 240;
        default:
            return std::numeric_limits<float>::max();
    }
}

RuleResults nan_to_num(Call& c) {
    OnnxValue x = c.tensor("self");
    if (!is_floating(x.dtype)) return x;
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const double most = largest_of(x.dtype);
    const OnnxValue nan = number_like(c, c.has("nan") ? c.real("nan") : 0, x);
    const OnnxValue high = number_like(c, c.has("posinf") ? c.real("posinf") : most, x);
    const OnnxValue low = number_like(c, c.has("neginf") ? c.real("neginf") : -most, x);
    const OnnxValue finite = c.b.where(c.b.compare("Equal", x, number_like(c, kInfinity, x)), high,
                                       c.b.where(c.b.compare("Equal", x, number_like(c, -kInfinity, x)), low, x));
    return c.b.where(is_nan(c, x), nan, finite);
}

RuleResults same(Call& c) { return c.tensor(c.op().schema.arguments[0].name); }

RuleResults logit(Call& c) {
    OnnxValue x = c.value("self", c.floating("self"));
    if (c.has("eps")) {
        const double eps = c.real("eps");
        x = c.b.map("Min", {c.b.map("Max", {x, number_like(c, eps, x)}), number_like(c, 1 - eps, x)});
    }
    return c.b.map("Log", {c.b.binary("Div", x, c.b.binary("Sub", number_like(c, 1, x), x))});
}

RuleResults sinc(Call& c) {
    const OnnxValue x = c.value("self", c.floating("self"));
    const OnnxValue scaled = c.b.binary("Mul", x, number_like(c, std::numbers::pi, x));
    const OnnxValue ratio = c.b.binary("Div", c.b.map("Sin", {scaled}), scaled);
    return c.b.where(c.b.compare("Equal", x, number_like(c, 0, x)), number_like(c, 1, x), ratio);
}

const Rule kRules[] = {
    {"aten::log2", logarithm<2>},
    {"aten::log10", logarithm<10>},
    {"aten::log1p", log1p},
    {"aten::special_log1p", log1p},
    {"aten::expm1", expm1},
    {"aten::special_expm1", expm1},
    {"aten::rsqrt", rsqrt},
    {"aten::square", square},
    {"aten::exp2", exp2},
    {"aten::special_exp2", exp2},
    {"aten::erfc", erfc},
    {"aten::special_erfc", erfc},
    {"aten::trunc", trunc},
    {"aten::fix", trunc},
    {"aten::frac", frac},
    {"aten::deg2rad", angle<true>},
    {"aten::rad2deg", angle<false>},
    {"aten::logical_not", logical_not},
    {"aten::bitwise_not", bitwise_not},
    {"aten::isnan", isnan},
    {"aten::isinf", isinf<0>},
    {"aten::isposinf", isinf<1>},
    {"aten::isneginf", isinf<-1>},
    {"aten::isfinite", isfinite},
    {"aten::signbit", signbit},
    {"aten::nan_to_num", nan_to_num},
    {"aten::positive", same},
    {"aten::real", same},
    {"aten::conj", same},
    {"aten::conj_physical", same},
    {"aten::resolve_conj", same},
    {"aten::resolve_neg", same},
    {"aten::sgn", [](Call& c) -> RuleResults { return c.b.map("Sign", {c.tensor("self")}); }},
    {"aten::logit", logit},
    {"aten::special_logit", logit},
    {"aten::sinc", sinc},
    {"aten::special_sinc", sinc},
};

}  // namespace

std::span<const Rule> unary_rules() {
    static const std::vector<Rule> kAll = [] {
        std::vector<Rule> all(std::begin(kRules), std::end(kRules));
        for (const Named& each : kFloating) all.push_back({each.aten, floating});
        for (const Named& each : kKeeping) all.push_back({each.aten, keeping});
        for (const Named& each : kRounding) all.push_back({each.aten, rounding});
        return all;
    }();
    return kAll;
}

}  // namespace loupe::onnx_export
