// SPDX-License-Identifier: Apache-2.0
#pragma once
// The records of the plugin, by file.

#include "core/ops/family.h"

// In the order in which the operators are listed.
#define LOUPE_TORCHVISION_RECORDS(FILE) \
    FILE(nms_records)                   \
    FILE(roi_align_records)             \
    FILE(roi_pool_records)              \
    FILE(ps_roi_align_records)          \
    FILE(ps_roi_pool_records)           \
    FILE(deform_conv2d_records)         \
    FILE(deform_conv2d_backward_records)

namespace loupe::torchvision_ops {

LOUPE_TORCHVISION_RECORDS(LOUPE_DECLARE_RECORDS)

}  // namespace loupe::torchvision_ops
