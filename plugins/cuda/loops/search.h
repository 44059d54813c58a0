// SPDX-License-Identifier: Apache-2.0
#pragma once
// Places in sorted rows, and running extremes. Includes nothing of the engine.

#include "plugins/cuda/loops/loop.h"

namespace loupe::cuda {

// How many of a sorted row of `length` elements stand before each value, of those equal to it with `after`. Values are
// [rows, per_row]; `is_shared`: all search in one row. Sequence and values are of one dtype; NaN is greater than all.
struct SortedRows {
    Element element = Element::Float32;
    std::int64_t length = 0, per_row = 1;
    bool is_shared = true;
    bool after = false;
};
void run_search(const Queue& queue, const SortedRows& rows, const void* sequence, const void* values,
                std::int64_t count, std::int64_t* places);

// Dense arrays of [outer, length, inner]: the greatest or the least so far and where it stood, of equals the last; once
// there is a NaN it stays.
void run_running_extreme(const Queue& queue, bool greatest, Element element, std::int64_t outer, std::int64_t length,
                         std::int64_t inner, const void* x, void* values, std::int64_t* places);

}  // namespace loupe::cuda
