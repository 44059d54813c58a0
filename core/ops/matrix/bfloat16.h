// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ops/matrix/gemm.h"

namespace loupe {

// bfloat16 products, rounded where PyTorch's CPU kernels round.

enum class Rounding {
    Wide,      // sums in float32: as oneDNN, which PyTorch uses from 4096 multiplications on
    ByLayout,  // so for rows of a with columns of b that lie in memory one after another; else after each product and
               // sum
    InSteps,   // after each product and each sum: small batches, and products with vectors
};
inline constexpr std::int64_t kMostRoundedMultiplications = 4096;

// c = alpha a b + beta c.
void rounded_gemm(Rounding rounding, float alpha, MatrixRef<const BFloat16> a, MatrixRef<const BFloat16> b, float beta,
                  MatrixRef<BFloat16> c);

}  // namespace loupe
