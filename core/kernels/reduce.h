// SPDX-License-Identifier: Apache-2.0
#pragma once
// The loop behind every reduction: walks kept and reduced dimensions in the order of memory, converts dtypes piece by
// piece, splits over outputs or, when there are few, over the reduced elements.

#include <span>

#include "core/kernels/reduction.h"

namespace loupe {

// outputs: one per kept index, in row-major order (whether reduced dimensions are kept as 1 makes no difference).
// reduced: for each dimension of the input, whether it is.
void run_reduction(const Reduction& reduction, const Tensor& input, std::span<const bool> reduced,
                   std::span<const Tensor> outputs, const void* params = nullptr);

}  // namespace loupe
