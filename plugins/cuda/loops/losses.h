// SPDX-License-Identifier: Apache-2.0
#pragma once
// Negative log likelihood of classes. Includes nothing of the engine.

#include "plugins/cuda/loops/fault.h"
#include "plugins/cuda/loops/loop.h"

namespace loupe::cuda {

// Dense x [batch, classes, pixels]; targets [batch, pixels]; weight, of the type of x or null, [classes].
struct NllShape {
    std::int64_t batch = 1;
    std::int64_t classes = 1;
    std::int64_t pixels = 1;
    std::int64_t ignored = -100;  // a target that does not count
    int reduction = 0;            // as PyTorch numbers them: none, mean, sum
    Element element = Element::Float32;
    Fault* fault = nullptr;
};

// out: one number, or one a target; total: the sum of the weights.
bool run_nll(const Queue& queue, const NllShape& shape, const void* x, const std::int64_t* target, const void* weight,
             void* out, void* total);
// grad: one number, or one a target. `out` is zero before.
bool run_nll_gradient(const Queue& queue, const NllShape& shape, const void* grad, const std::int64_t* target,
                      const void* weight, const void* total, void* out);

}  // namespace loupe::cuda
