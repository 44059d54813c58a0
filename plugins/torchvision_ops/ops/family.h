// SPDX-License-Identifier: Apache-2.0
#pragma once
// The records of the plugin, by file.

#include "core/ops/record.h"

namespace loupe::torchvision_ops {

extern const OperatorRecord kNms;
extern const OperatorRecord kRoiAlign, kRoiAlignBackward;

}  // namespace loupe::torchvision_ops
