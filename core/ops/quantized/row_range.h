// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <utility>

namespace loupe::quantized_ops {

// The search for the range that a row loses least by when it is rounded to so many bits: PyTorch's
// choose_qparams_optimized, greedy from both ends in steps of a `bins`-th of the row's range, of which `ratio` may be
// cut. Returns (least, greatest). Throws Error (Run) for numbers that are no search, Cancelled.
struct RangeSearch {
    std::int64_t bins = 200;
    double ratio = 0.16;
    std::int64_t bits = 8;
};
std::pair<float, float> range_of_least_loss(std::span<const float> row, const RangeSearch& search);

}  // namespace loupe::quantized_ops
