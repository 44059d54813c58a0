// SPDX-License-Identifier: Apache-2.0
#pragma once
// The files of this family.

#include "core/ops/family.h"

// In the order in which the operators are listed.
#define LOUPE_COMPOSED_RECORDS(FILE)   \
    FILE(difference_records)           \
    FILE(statistics_records)           \
    FILE(comparison_records)           \
    FILE(resize_records)               \
    FILE(histogram_records)            \
    FILE(quantile_records)             \
    FILE(segment_records)              \
    FILE(in_place_alias_records)       \
    FILE(creation_out_records)         \
    FILE(new_random_records)           \
    FILE(foreach_records)              \
    FILE(gradient_call_records)        \
    FILE(interpolate_records)          \
    FILE(arithmetic_overload_records)  \
    FILE(assertion_records)            \
    FILE(conversion_records)           \
    FILE(export_operator_records)      \
    FILE(functional_form_records)      \
    FILE(unrecorded_records)           \
    FILE(named_creation_records)       \
    FILE(autograd_call_records)        \
    FILE(internal_call_records)        \
    FILE(linear_cross_entropy_records) \
    FILE(grouped_product_records)      \
    FILE(attention_gradient_records)   \
    FILE(fused_norm_records)           \
    FILE(fused_step_records)           \
    FILE(renamed_call_records)

namespace loupe::composed {

LOUPE_COMPOSED_RECORDS(LOUPE_DECLARE_RECORDS)

}  // namespace loupe::composed
