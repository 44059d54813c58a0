// SPDX-License-Identifier: Apache-2.0
#pragma once
// The files of this family.

#include "core/ops/family.h"

// In the order in which the operators are listed.
#define LOUPE_SORTING_RECORDS(FILE) \
    FILE(sort_records)              \
    FILE(selection_records)         \
    FILE(unique_records)

namespace loupe::sorting {

LOUPE_SORTING_RECORDS(LOUPE_DECLARE_RECORDS)

}  // namespace loupe::sorting
