// SPDX-License-Identifier: Apache-2.0
#pragma once
// The records of the plugin, by file.

#include "core/dispatch/record.h"

namespace loupe::torchvision_ops {

extern const OperatorRecord kNms;
extern const OperatorRecord kRoiAlign, kRoiAlignBackward;
extern const OperatorRecord kRoiPool, kRoiPoolBackward;
extern const OperatorRecord kPsRoiAlign, kPsRoiAlignBackward;
extern const OperatorRecord kPsRoiPool, kPsRoiPoolBackward;
extern const OperatorRecord kDeformConv2d, kDeformConv2dBackward;

}  // namespace loupe::torchvision_ops
