// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operations that take long to compute: the strided form alone, which costs nothing beside them.

#include "plugins/cuda/loops/launch.h"

namespace loupe::cuda {

template <typename Op, typename T, int kInputs>
void run_slow(const Queue& queue, const LoopShape& loop, const Numbers& numbers) {
    launch(queue, loop.count, StridedBody<Op, T, kInputs>{loop, numbers});
}
// In double precision for both types: elements of float32 are rounded at the end.
template <typename Op, int kInputs>
bool run_slow_in_double(Element as, const Queue& queue, const LoopShape& loop, const Numbers& numbers) {
    if (as != Element::Float32 && as != Element::Float64) return false;
    return run_slow<Op, double, kInputs>(queue, loop, numbers), true;
}
// Each in its own.
template <typename Op, int kInputs>
bool run_slow_real(Element as, const Queue& queue, const LoopShape& loop, const Numbers& numbers) {
    if (as == Element::Float32) return run_slow<Op, float, kInputs>(queue, loop, numbers), true;
    if (as == Element::Float64) return run_slow<Op, double, kInputs>(queue, loop, numbers), true;
    return false;
}

}  // namespace loupe::cuda
