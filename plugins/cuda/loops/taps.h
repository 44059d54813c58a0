// SPDX-License-Identifier: Apache-2.0
#pragma once
// Linear maps along the dimensions of arrays: flips, rolls, borders, interpolation and their gradients. Includes
// nothing of the engine.

#include "plugins/cuda/loops/loop.h"

namespace loupe::cuda {

inline constexpr int kMaxTapDims = 8;

struct TapLoop {
    int dims = 0;
    std::int64_t count = 1;
    std::int64_t sizes[kMaxTapDims] = {};  // of the result
    std::int64_t to[kMaxTapDims] = {};     // strides in bytes
    std::int64_t from[kMaxTapDims] = {};
    // Along each dimension: place i reads index[k * size + i], -1: nothing, times weight[...]. Null: its own.
    int depth[kMaxTapDims] = {};
    const std::int64_t* index[kMaxTapDims] = {};
    const double* weight[kMaxTapDims] = {};  // null: 1
};

// Elements of any size where no dimension has weights or more than one tap.
void run_tap_copy(const Queue& queue, const TapLoop& loop, int element_size, const void* from, void* to);
// False for elements that are no real numbers.
bool run_taps(const Queue& queue, const TapLoop& loop, Element element, const void* from, void* to);

}  // namespace loupe::cuda
