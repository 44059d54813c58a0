// SPDX-License-Identifier: Apache-2.0
#pragma once
// The files of this family.

#include "core/ops/family.h"

// In the order in which the operators are listed.
#define LOUPE_COMPOSED_RECORDS(FILE) \
    FILE(difference_records)         \
    FILE(statistics_records)         \
    FILE(comparison_records)         \
    FILE(resize_records)             \
    FILE(histogram_records)          \
    FILE(quantile_records)           \
    FILE(segment_records)            \
    FILE(other_name_records)         \
    FILE(older_name_records)         \
    FILE(made_into_records)          \
    FILE(foreach_records)            \
    FILE(gradient_call_records)      \
    FILE(interpolate_records)        \
    FILE(less_known_records)         \
    FILE(autograd_call_records)      \
    FILE(internal_call_records)

namespace loupe::composed {

LOUPE_COMPOSED_RECORDS(LOUPE_DECLARE_RECORDS)

}  // namespace loupe::composed
