// SPDX-License-Identifier: Apache-2.0
// Comparisons, logic, and choice by a condition.
#include "plugins/onnx/ops/common.h"

namespace loupe::onnx {
namespace {

Tensor is_inf(const Tensor& x, std::int64_t negative, std::int64_t positive) {
    const Tensor is = fn::isinf(x);
    if (negative != 0 && positive != 0) return is;
    if (negative == 0 && positive == 0) return fn::zeros_like(is);
    const Tensor zero = like_number(x, 0);
    return fn::logical_and(is, positive != 0 ? fn::gt(x, zero) : fn::lt(x, zero));
}

constexpr OperatorRecord two(std::string_view schema, std::string_view summary, KernelFunction function) {
    return made_of(schema, summary, function);
}

#define LOUPE_TWO(name, summary, target) \
    two("onnx::" name "(Tensor A, Tensor B) -> Tensor", summary, forward<"aten::" target>)

constexpr OperatorRecord kRecords[] = {
    LOUPE_TWO("Equal", "A = B.", "eq.Tensor"),
    LOUPE_TWO("Greater", "A > B.", "gt.Tensor"),
    LOUPE_TWO("GreaterOrEqual", "A >= B.", "ge.Tensor"),
    LOUPE_TWO("Less", "A < B.", "lt.Tensor"),
    LOUPE_TWO("LessOrEqual", "A <= B.", "le.Tensor"),
    LOUPE_TWO("And", "Both are true.", "logical_and"),
    LOUPE_TWO("Or", "One is true, or both.", "logical_or"),
    LOUPE_TWO("Xor", "Exactly one is true.", "logical_xor"),
    made_of("onnx::Not(Tensor X) -> Tensor", "True where X is false.", forward<"aten::logical_not">),
    made_of("onnx::Where(Tensor condition, Tensor X, Tensor Y) -> Tensor", "X where the condition is true, else Y.",
            forward<"aten::where.self">),
    made_of("onnx::IsNaN(Tensor X) -> Tensor", "Where elements are NaN.", forward<"aten::isnan">),
    made_of("onnx::IsInf(Tensor X, *, int detect_negative=1, int detect_positive=1) -> Tensor",
            "Where elements are infinite.", boxed<is_inf>),
};

#undef LOUPE_TWO

}  // namespace

std::span<const OperatorRecord> comparison_records() { return kRecords; }

}  // namespace loupe::onnx
