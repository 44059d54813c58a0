// SPDX-License-Identifier: Apache-2.0
#pragma once
// The record lists of this family, one per file.

#include <span>

#include "core/dispatch/record.h"

namespace loupe::numbers {

std::span<const OperatorRecord> arithmetic_records();
std::span<const OperatorRecord> comparison_records();
std::span<const OperatorRecord> math_records();
std::span<const OperatorRecord> conversion_records();
std::span<const OperatorRecord> list_records();
std::span<const OperatorRecord> dict_records();
std::span<const OperatorRecord> string_records();
std::span<const OperatorRecord> string_test_records();
std::span<const OperatorRecord> format_records();
std::span<const OperatorRecord> tensor_fact_records();
std::span<const OperatorRecord> setting_records();

}  // namespace loupe::numbers
