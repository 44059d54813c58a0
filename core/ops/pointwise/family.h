// SPDX-License-Identifier: Apache-2.0
#pragma once
// The records of the family, one array a file.

#include "core/dispatch/record.h"

namespace loupe::pointwise {

std::span<const OperatorRecord> unary_math_records();
std::span<const OperatorRecord> rounding_records();
std::span<const OperatorRecord> activation_records();
std::span<const OperatorRecord> activation_gradient_records();
std::span<const OperatorRecord> gated_records();
std::span<const OperatorRecord> gelu_with_slope_records();
std::span<const OperatorRecord> arithmetic_records();
std::span<const OperatorRecord> division_records();
std::span<const OperatorRecord> power_records();
std::span<const OperatorRecord> binary_math_records();
std::span<const OperatorRecord> comparison_records();
std::span<const OperatorRecord> bitwise_records();
std::span<const OperatorRecord> selection_records();
std::span<const OperatorRecord> ternary_records();
std::span<const OperatorRecord> copy_records();
std::span<const OperatorRecord> conversion_records();
std::span<const OperatorRecord> complex_records();
std::span<const OperatorRecord> composite_records();

}  // namespace loupe::pointwise
