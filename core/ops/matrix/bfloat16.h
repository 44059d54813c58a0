// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ops/matrix/gemm.h"

namespace loupe {

// bfloat16 products c = alpha a b + beta c, rounded where PyTorch's CPU kernels round.

// As batches of small matrices, and products with vectors, are multiplied: after each product and each sum.
void stepwise_gemm(float alpha, MatrixRef<const BFloat16> a, MatrixRef<const BFloat16> b, float beta, MatrixRef<BFloat16> c);
// As two matrices are: rows of a with columns of b that lie in memory one after another are summed in float32, all else step by step.
void rounded_gemm(float alpha, MatrixRef<const BFloat16> a, MatrixRef<const BFloat16> b, float beta, MatrixRef<BFloat16> c);

}  // namespace loupe
