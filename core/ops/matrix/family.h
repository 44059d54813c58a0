// SPDX-License-Identifier: Apache-2.0
#pragma once
// The records of the family, in the order of their files.

#include "core/dispatch/record.h"

namespace loupe {

extern const OperatorRecord kMm, kAddmm, kBmm, kBaddbmm, kAddbmm;
extern const OperatorRecord kMv, kAddmv, kDot, kVdot, kOuter, kGer, kAddr;
extern const OperatorRecord kMatmul, kLinear, kInner, kTensordot, kChainMatmul, kMultiDot, kLinalgMatmul;
extern const OperatorRecord kEinsum;

}  // namespace loupe
