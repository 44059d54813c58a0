// SPDX-License-Identifier: Apache-2.0
#include "core/ops/matrix/family.h"

#include <array>

namespace loupe {

OperatorFamily matrix_family() {
    static constexpr std::array kRecords{
        &kMm,  &kAddmm, &kBmm,    &kBaddbmm, &kAddbmm, &kMv,        &kAddmv,       &kDot,      &kVdot,         &kOuter,
        &kGer, &kAddr,  &kMatmul, &kLinear,  &kInner,  &kTensordot, &kChainMatmul, &kMultiDot, &kLinalgMatmul, &kEinsum,
    };
    return {"matrix", kRecords};
}

}  // namespace loupe
