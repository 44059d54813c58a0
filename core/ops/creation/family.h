// SPDX-License-Identifier: Apache-2.0
#pragma once
// The files of this family.

#include "core/ops/family.h"

// In the order in which the operators are listed.
#define LOUPE_CREATION_RECORDS(FILE) \
    FILE(filled_records)             \
    FILE(like_records)               \
    FILE(range_records)              \
    FILE(triangle_records)           \
    FILE(literal_records)

namespace loupe::creation {

LOUPE_CREATION_RECORDS(LOUPE_DECLARE_RECORDS)

}  // namespace loupe::creation
