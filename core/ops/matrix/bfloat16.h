// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ops/matrix/gemm.h"

namespace loupe {

// c = alpha a b + beta c, rounded to bfloat16 after each product and each sum: PyTorch's CPU results, digit by digit.
void stepwise_gemm(BFloat16 alpha, MatrixRef<const BFloat16> a, MatrixRef<const BFloat16> b, BFloat16 beta, MatrixRef<BFloat16> c);
// The product of two matrices as PyTorch rounds it: rows of a with columns of b that lie in memory one after another
// are summed in float32, all else step by step.
void rounded_gemm(BFloat16 alpha, MatrixRef<const BFloat16> a, MatrixRef<const BFloat16> b, BFloat16 beta, MatrixRef<BFloat16> c);

}  // namespace loupe
