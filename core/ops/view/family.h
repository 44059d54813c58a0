// SPDX-License-Identifier: Apache-2.0
#pragma once
// The files of this family.

#include "core/ops/family.h"

// In the order in which the operators are listed.
#define LOUPE_VIEW_RECORDS(FILE) \
    FILE(reshape_records)        \
    FILE(dimension_records)      \
    FILE(expand_records)         \
    FILE(slice_records)          \
    FILE(diagonal_records)       \
    FILE(strided_records)        \
    FILE(split_records)          \
    FILE(detach_records)         \
    FILE(scatter_view_records)   \
    FILE(view_copy_records)

namespace loupe::views {

LOUPE_VIEW_RECORDS(LOUPE_DECLARE_RECORDS)

}  // namespace loupe::views
