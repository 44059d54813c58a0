// SPDX-License-Identifier: Apache-2.0
#pragma once
// The files of this family.

#include "core/ops/family.h"

// In the order in which the operators are listed.
#define LOUPE_JOINING_RECORDS(FILE) \
    FILE(cat_records)               \
    FILE(stack_records)             \
    FILE(repeat_records)            \
    FILE(flip_records)              \
    FILE(constant_pad_records)      \
    FILE(mirror_pad_records)        \
    FILE(pad_records)               \
    FILE(grid_records)              \
    FILE(shuffle_records)

namespace loupe::joining {

LOUPE_JOINING_RECORDS(LOUPE_DECLARE_RECORDS)

}  // namespace loupe::joining
