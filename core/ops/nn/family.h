// SPDX-License-Identifier: Apache-2.0
#pragma once
// The files of this family.

#include "core/ops/family.h"

// In the order in which the operators are listed.
#define LOUPE_NN_RECORDS(FILE)        \
    FILE(convolution_records)         \
    FILE(convolution_call_records)    \
    FILE(convolution_relu_records)    \
    FILE(older_convolution_records)   \
    FILE(max_pool_records)            \
    FILE(avg_pool_records)            \
    FILE(softmax_records)             \
    FILE(batch_norm_records)          \
    FILE(group_norm_records)          \
    FILE(layer_norm_records)          \
    FILE(rms_norm_records)            \
    FILE(weight_norm_records)         \
    FILE(nll_loss_records)            \
    FILE(attention_records)           \
    FILE(efficient_attention_records) \
    FILE(fused_attention_records)     \
    FILE(elementwise_loss_records)    \
    FILE(upsample_records)            \
    FILE(grid_sample_records)         \
    FILE(im2col_records)              \
    FILE(max_unpool_records)          \
    FILE(fractional_pool_records)     \
    FILE(margin_loss_records)         \
    FILE(ctc_loss_records)

namespace loupe::nn_ops {

LOUPE_NN_RECORDS(LOUPE_DECLARE_RECORDS)

}  // namespace loupe::nn_ops
