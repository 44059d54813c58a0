// SPDX-License-Identifier: Apache-2.0
#pragma once
// The vectorised part of measure_difference.

#include <cstdint>

namespace loupe::session {

// Sums over one piece of pairs; `expected` is y.
struct PieceDifference {
    bool is_finite = true;  // else nothing else is valid
    std::int64_t beyond = 0;
    float max_abs = 0;
    float max_rel = 0;
    std::uint32_t max_ulp = 0;
    double squares = 0;  // of x - y
    double x_squares = 0;
    double y_squares = 0;
};

inline constexpr std::int64_t kDifferencePiece = 4096;

// n <= kDifferencePiece.
PieceDifference difference_of_piece(const float* x, const float* y, std::int64_t n, float rtol, float atol);

}  // namespace loupe::session
