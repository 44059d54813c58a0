// SPDX-License-Identifier: Apache-2.0
#include "plugins/onnx/export/rules.h"

namespace loupe::onnx_export {
namespace {

struct Two {
    OnnxValue a;
    OnnxValue b;
};

Two operands(Call& c) {
    ScalarType dtype = c.common({"self", "other"});
    return {c.value("self", dtype), c.value("other", dtype)};
}

RuleResults equal(Call& c) {
    const auto [a, b] = operands(c);
    return c.b.compare("Equal", a, b);
}
RuleResults not_equal(Call& c) {
    const auto [a, b] = operands(c);
    return c.b.map("Not", {c.b.compare("Equal", a, b)});
}

// ONNX orders numbers alone.
Two ordered(Call& c) {
    auto [a, b] = operands(c);
    if (a.dtype != ScalarType::Bool) return {a, b};
    return {c.b.cast(a, ScalarType::Int32), c.b.cast(b, ScalarType::Int32)};
}

RuleResults less(Call& c) {
    const auto [a, b] = ordered(c);
    return c.b.compare("Less", a, b);
}
RuleResults greater(Call& c) {
    const auto [a, b] = ordered(c);
    return c.b.compare("Greater", a, b);
}
RuleResults less_or_equal(Call& c) {
    const auto [a, b] = ordered(c);
    if (c.b.opset() >= 12) return c.b.compare("LessOrEqual", a, b);
    return c.b.compare("Or", c.b.compare("Less", a, b), c.b.compare("Equal", a, b));
}
RuleResults greater_or_equal(Call& c) {
    const auto [a, b] = ordered(c);
    if (c.b.opset() >= 12) return c.b.compare("GreaterOrEqual", a, b);
    return c.b.compare("Or", c.b.compare("Greater", a, b), c.b.compare("Equal", a, b));
}

Two truths(Call& c) { return {c.value("self", ScalarType::Bool), c.value("other", ScalarType::Bool)}; }

RuleResults logical_and(Call& c) {
    const auto [a, b] = truths(c);
    return c.b.compare("And", a, b);
}
RuleResults logical_or(Call& c) {
    const auto [a, b] = truths(c);
    return c.b.compare("Or", a, b);
}
RuleResults logical_xor(Call& c) {
    const auto [a, b] = truths(c);
    return c.b.compare("Xor", a, b);
}

RuleResults bitwise(Call& c, std::string_view logical, std::string_view of_bits) {
    const auto [a, b] = operands(c);
    if (a.dtype == ScalarType::Bool) return c.b.compare(logical, a, b);
    if (c.b.opset() < 18) unsupported("operators on bits of integers need opset 18");
    return c.b.binary(of_bits, a, b);
}
RuleResults bitwise_and(Call& c) { return bitwise(c, "And", "BitwiseAnd"); }
RuleResults bitwise_or(Call& c) { return bitwise(c, "Or", "BitwiseOr"); }
RuleResults bitwise_xor(Call& c) { return bitwise(c, "Xor", "BitwiseXor"); }

RuleResults where(Call& c) {
    const ScalarType dtype = c.common({"self", "other"});
    return c.b.where(c.value("condition", ScalarType::Bool), c.value("self", dtype), c.value("other", dtype));
}

RuleResults masked_fill(Call& c) {
    const OnnxValue x = c.tensor("self");
    return c.b.where(c.value("mask", ScalarType::Bool), c.value("value", x.dtype), x);
}

RuleResults heaviside(Call& c) {
    const OnnxValue x = c.tensor("self");
    const OnnxValue zero = c.b.number(std::int64_t{0}, x.dtype);
    const OnnxValue sign = c.b.where(c.b.compare("Less", x, zero), zero, c.b.number(std::int64_t{1}, x.dtype));
    return c.b.where(c.b.compare("Equal", x, zero), c.tensor("values"), sign);
}

const Rule kRules[] = {
    {"aten::eq", equal},
    {"aten::ne", not_equal},
    {"aten::not_equal", not_equal},
    {"aten::lt", less},
    {"aten::less", less},
    {"aten::gt", greater},
    {"aten::greater", greater},
    {"aten::le", less_or_equal},
    {"aten::less_equal", less_or_equal},
    {"aten::ge", greater_or_equal},
    {"aten::greater_equal", greater_or_equal},
    {"aten::logical_and", logical_and},
    {"aten::logical_or", logical_or},
    {"aten::logical_xor", logical_xor},
    {"aten::bitwise_and", bitwise_and},
    {"aten::__and__", bitwise_and},
    {"aten::bitwise_or", bitwise_or},
    {"aten::__or__", bitwise_or},
    {"aten::bitwise_xor", bitwise_xor},
    {"aten::__xor__", bitwise_xor},
    {"aten::where.self", where},
    {"aten::where.ScalarSelf", where},
    {"aten::where.ScalarOther", where},
    {"aten::where.Scalar", where},
    {"aten::masked_fill", masked_fill},
    {"aten::heaviside", heaviside},
};

}  // namespace

std::span<const Rule> comparison_rules() { return kRules; }

}  // namespace loupe::onnx_export
