// SPDX-License-Identifier: Apache-2.0
#pragma once
// What statistics of a tensor are made of, as devices add it up. Includes nothing of the engine.

#include <cstdint>

namespace loupe {

struct ElementTotals {
    // Bin i: finite elements but 0 whose magnitude is in [2^(i-1+kLowest), 2^(i+kLowest)); the ends take the rest.
    static constexpr int kLowest = -40;
    static constexpr int kBins = 64;

    std::int64_t count = 0;
    std::int64_t finite = 0;
    std::int64_t nan = 0;
    std::int64_t zero = 0;
    double min = 0, max = 0;  // of the finite ones, where there is one
    double shift = 0;         // the sums are of x - shift
    double sum = 0;
    double sum_of_squares = 0;
    double abs_sum = 0;  // of x
    std::uint64_t exponents[kBins] = {};
};

}  // namespace loupe
