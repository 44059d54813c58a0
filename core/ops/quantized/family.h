// SPDX-License-Identifier: Apache-2.0
#pragma once
// The files of this family.

#include "core/ops/family.h"

// In the order in which the operators are listed.
#define LOUPE_QUANTIZED_RECORDS(FILE) \
    FILE(quantize_records)            \
    FILE(fake_quantize_records)       \
    FILE(fake_channel_records)        \
    FILE(observer_records)            \
    FILE(decomposed_records)          \
    FILE(decomposed_group_records)    \
    FILE(weight_only_records)         \
    FILE(packed_linear_records)       \
    FILE(packed_weight_records)       \
    FILE(packed_conv_records)         \
    FILE(arithmetic_records)          \
    FILE(activation_records)          \
    FILE(norm_records)                \
    FILE(embedding_records)           \
    FILE(embedding_row_records)       \
    FILE(row_range_records)           \
    FILE(recurrent_records)

namespace loupe::quantized_ops {

LOUPE_QUANTIZED_RECORDS(LOUPE_DECLARE_RECORDS)

}  // namespace loupe::quantized_ops
