// SPDX-License-Identifier: Apache-2.0
#pragma once
// Matrix products of 16-bit floats.

#include "core/ops/matrix/gemm.h"

namespace loupe {

// c = alpha a b + beta c: sums in float32, rounded once, as PyTorch does since 2.5. T: BFloat16 or Half.
template <typename T>
void gemm_of_halves(float alpha, MatrixRef<const T> a, MatrixRef<const T> b, float beta, MatrixRef<T> c);

}  // namespace loupe
