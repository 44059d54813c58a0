// SPDX-License-Identifier: Apache-2.0
// Functions of one number: roots, powers, angles, rounding.
#include "plugins/onnx/ops/common.h"

namespace loupe::onnx {
namespace {

#define LOUPE_UNARY(name, summary, target) \
    made_of("onnx::" name "(Tensor X) -> Tensor", summary, forward<"aten::" target>)
constexpr OperatorRecord kRecords[] = {
    LOUPE_UNARY("Abs", "The absolute value.", "abs"),
    LOUPE_UNARY("Neg", "The negative.", "neg"),
    LOUPE_UNARY("Exp", "The exponential.", "exp"),
    LOUPE_UNARY("Log", "The natural logarithm.", "log"),
    LOUPE_UNARY("Sqrt", "The square root.", "sqrt"),
    LOUPE_UNARY("Reciprocal", "1 / x.", "reciprocal"),
    LOUPE_UNARY("Floor", "Rounded down.", "floor"),
    LOUPE_UNARY("Ceil", "Rounded up.", "ceil"),
    LOUPE_UNARY("Round", "Rounded to the nearest whole number, halves to even ones.", "round"),
    LOUPE_UNARY("Sign", "-1, 0 or 1.", "sign"),
    LOUPE_UNARY("Sin", "The sine.", "sin"),
    LOUPE_UNARY("Cos", "The cosine.", "cos"),
    LOUPE_UNARY("Tan", "The tangent.", "tan"),
    LOUPE_UNARY("Asin", "The inverse sine.", "asin"),
    LOUPE_UNARY("Acos", "The inverse cosine.", "acos"),
    LOUPE_UNARY("Atan", "The inverse tangent.", "atan"),
    LOUPE_UNARY("Sinh", "The hyperbolic sine.", "sinh"),
    LOUPE_UNARY("Cosh", "The hyperbolic cosine.", "cosh"),
    LOUPE_UNARY("Asinh", "The inverse hyperbolic sine.", "asinh"),
    LOUPE_UNARY("Acosh", "The inverse hyperbolic cosine.", "acosh"),
    LOUPE_UNARY("Atanh", "The inverse hyperbolic tangent.", "atanh"),
    LOUPE_UNARY("Erf", "The error function.", "erf"),
};

#undef LOUPE_UNARY

}  // namespace

std::span<const OperatorRecord> rounding_records() { return kRecords; }

}  // namespace loupe::onnx
