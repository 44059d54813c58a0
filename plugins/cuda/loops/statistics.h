// SPDX-License-Identifier: Apache-2.0
#pragma once
// Statistics of a tensor's elements, in one pass. Includes nothing of the engine.

#include "core/kernels/element_totals.h"
#include "plugins/cuda/loops/loop.h"

namespace loupe::cuda {

// Sums are of the differences to the first element, where that is finite. There is one element at least. whole->count,
// which must be 0 before, is written last. On a GPU `whole` may lie in memory of the host that it writes.
void run_statistics(const Queue& queue, Element element, const void* x, std::int64_t count, ElementTotals* whole);

}  // namespace loupe::cuda
