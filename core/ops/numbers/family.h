// SPDX-License-Identifier: Apache-2.0
#pragma once
// The files of this family.

#include "core/ops/family.h"

// In the order in which the operators are listed.
#define LOUPE_NUMBERS_RECORDS(FILE) \
    FILE(arithmetic_records)        \
    FILE(comparison_records)        \
    FILE(math_records)              \
    FILE(conversion_records)        \
    FILE(list_records)              \
    FILE(dict_records)              \
    FILE(string_records)            \
    FILE(string_test_records)       \
    FILE(format_records)            \
    FILE(tensor_fact_records)       \
    FILE(setting_records)

namespace loupe::numbers {

LOUPE_NUMBERS_RECORDS(LOUPE_DECLARE_RECORDS)

}  // namespace loupe::numbers
