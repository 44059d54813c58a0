// SPDX-License-Identifier: Apache-2.0
#pragma once
// The files of this family.

#include "core/ops/family.h"

// In the order in which the operators are listed.
#define LOUPE_POINTWISE_RECORDS(FILE) \
    FILE(arithmetic_records)          \
    FILE(division_records)            \
    FILE(power_records)               \
    FILE(unary_math_records)          \
    FILE(rounding_records)            \
    FILE(binary_math_records)         \
    FILE(comparison_records)          \
    FILE(bitwise_records)             \
    FILE(selection_records)           \
    FILE(ternary_records)             \
    FILE(activation_records)          \
    FILE(activation_gradient_records) \
    FILE(gelu_with_slope_records)     \
    FILE(gated_records)               \
    FILE(copy_records)                \
    FILE(conversion_records)          \
    FILE(complex_records)             \
    FILE(composite_records)

namespace loupe::pointwise {

LOUPE_POINTWISE_RECORDS(LOUPE_DECLARE_RECORDS)

}  // namespace loupe::pointwise
