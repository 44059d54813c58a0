// SPDX-License-Identifier: Apache-2.0
#pragma once
// The files of this family.

#include "core/ops/family.h"

// In the order in which the operators are listed.
#define LOUPE_SPECIAL_RECORDS(FILE) \
    FILE(unary_records)             \
    FILE(pair_records)              \
    FILE(polynomial_records)        \
    FILE(alias_records)

namespace loupe::special {

LOUPE_SPECIAL_RECORDS(LOUPE_DECLARE_RECORDS)

}  // namespace loupe::special
