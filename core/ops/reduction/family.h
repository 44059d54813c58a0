// SPDX-License-Identifier: Apache-2.0
#pragma once
// The files of this family.

#include "core/ops/family.h"

// In the order in which the operators are listed.
#define LOUPE_REDUCTION_RECORDS(FILE) \
    FILE(sum_records)                 \
    FILE(extremum_records)            \
    FILE(moment_records)              \
    FILE(norm_records)                \
    FILE(scan_records)                \
    FILE(hash_records)

namespace loupe::reduction {

LOUPE_REDUCTION_RECORDS(LOUPE_DECLARE_RECORDS)

}  // namespace loupe::reduction
