// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sums, means and maxima of rows of a table, by bags of indices. Includes nothing of the engine.

#include "plugins/cuda/loops/fault.h"
#include "plugins/cuda/loops/loop.h"

namespace loupe::cuda {

enum class BagMode : std::int8_t { Sum, Mean, Max };

// Dense arrays: table [rows, width] of a floating dtype, indices [count], offsets [bags]: where each bag begins.
struct Bags {
    Element element = Element::Float32;
    BagMode mode = BagMode::Sum;
    std::int64_t rows = 0, width = 0, count = 0, bags = 0;
    std::int64_t padding = -1;  // a row that counts for nothing
    const std::int64_t* indices = nullptr;
    const std::int64_t* offsets = nullptr;
    Fault* fault = nullptr;
};
// scales: a number an index of the table's dtype, or null. out [bags, width]; sizes [bags]; of maxima also the rows
// [bags, width], else null.
void run_bags(const Queue& queue, const Bags& bags, const void* table, const void* scales, void* out,
              std::int64_t* sizes, std::int64_t* greatest);

}  // namespace loupe::cuda
