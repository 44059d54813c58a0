// SPDX-License-Identifier: Apache-2.0
#pragma once
// Statistics of a tensor's elements, in one pass. Includes nothing of the engine.

#include "core/kernels/element_totals.h"
#include "plugins/cuda/loops/loop.h"

namespace loupe::cuda {

// Parts that the elements are taken in, each with totals of its own.
std::int64_t statistics_parts(std::int64_t count);
// `whole`: of all of them. Sums are of the differences to the first element, where that is finite.
void run_statistics(const Queue& queue, Element element, const void* x, std::int64_t count, ElementTotals* parts,
                    ElementTotals* whole);

}  // namespace loupe::cuda
