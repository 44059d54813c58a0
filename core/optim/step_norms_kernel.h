// SPDX-License-Identifier: Apache-2.0
#pragma once
// The vectorised part of step_norms.h.

#include <cstdint>

namespace loupe::optim {

double sum_of_squares(const float* x, std::int64_t n);
// Adds the squares of after - before, and of before.
void sum_moved(const float* after, const float* before, std::int64_t n, double& moved, double& size);

}  // namespace loupe::optim
