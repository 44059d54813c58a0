// SPDX-License-Identifier: Apache-2.0
#pragma once
// The vectorised part of compute_statistics.

#include <array>
#include <cstdint>

namespace loupe::session {

// Sums over one piece of float elements. Sums leave out what is not finite, and are of x - shift.
struct PieceSums {
    std::int64_t finite = 0;
    std::int64_t nan = 0;
    std::int64_t zero = 0;
    float min = 0;  // +inf when nothing is finite
    float max = 0;
    float abs_max = 0;
    double sum = 0;
    double sum_of_squares = 0;
    double abs_sum = 0;
};

inline constexpr std::int64_t kStatisticsPiece = 4096;
// By the bins of Statistics::exponents.
using ExponentCounts = std::array<std::uint64_t, 64>;

// n <= kStatisticsPiece. Adds to counts.
PieceSums sum_piece(const float* elements, std::int64_t n, float shift, ExponentCounts& counts);

}  // namespace loupe::session
