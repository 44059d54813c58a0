// SPDX-License-Identifier: Apache-2.0
#pragma once
// Stretches of a dimension, reduced, and the gradient. Includes nothing of the engine.

#include "plugins/cuda/loops/loop.h"

namespace loupe::cuda {

enum class Stretch : std::int8_t { Max, Mean, Min, Sum, Product };

// Dense arrays: data [outer, size, inner], results [outer, count, inner]; segment k of row o is bounds[o][k] to
// bounds[o][k + 1]. Numbers of 16 bits are rounded after each step, as on the host.
struct SegmentShape {
    Stretch stretch = Stretch::Sum;
    Element element = Element::Float32;
    std::int64_t outer = 1, size = 1, inner = 1, count = 0;
    const std::int64_t* bounds = nullptr;
    double first = 0;  // what a result begins with; of the gradient of a product too
    bool has_initial = false;
};
// False for elements that are not floating.
bool run_segments(const Queue& queue, const SegmentShape& shape, const void* data, void* out);
// `out` is zeroed: elements outside of all segments keep it.
bool run_segment_gradients(const Queue& queue, const SegmentShape& shape, const void* grad, const void* results,
                           const void* data, void* out);

}  // namespace loupe::cuda
