// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ops/matrix/gemm.h"

namespace loupe {

// c = alpha a b + beta c: sums in float32, rounded once, as PyTorch does since 2.5.
void bfloat16_gemm(float alpha, MatrixRef<const BFloat16> a, MatrixRef<const BFloat16> b, float beta,
                   MatrixRef<BFloat16> c);

}  // namespace loupe
