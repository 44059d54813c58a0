// SPDX-License-Identifier: Apache-2.0
#pragma once
// Mean and variance of bfloat16 rows as PyTorch's layer_norm and group_norm find them: Welford's update in 16 lanes, in
// chunks that are joined pairwise, every step rounded to bfloat16. With so few bits the order of the steps is visible.

#include <utility>

#include "core/tensor/half.h"

namespace loupe::nn_ops {

struct RoundedMoments {
    BFloat16 mean;
    BFloat16 variance;  // biased

    // 1 / sqrt(max(variance, 0) + eps), each step rounded.
    BFloat16 inverse_deviation(double eps) const;
};
RoundedMoments rounded_moments(const BFloat16* x, std::int64_t n);

}  // namespace loupe::nn_ops
