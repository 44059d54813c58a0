// SPDX-License-Identifier: Apache-2.0
#pragma once
// Softmax and its logarithm over dense rows, or over columns of dense planes. Includes nothing of the engine.

#include "plugins/cuda/loops/loop.h"

namespace loupe::cuda {

// Arrays of [outer, length, inner]; normalised along length.
struct SoftmaxShape {
    std::int64_t outer = 1;
    std::int64_t length = 1;
    std::int64_t inner = 1;
    Element element = Element::Float32;
    bool is_log = false;
};
// False for elements that are not floating.
bool run_softmax(const Queue& queue, const SoftmaxShape& shape, const void* x, void* y);
// Of the gradient and of what the forward pass gave.
bool run_softmax_gradient(const Queue& queue, const SoftmaxShape& shape, const void* grad, const void* y, void* out);

}  // namespace loupe::cuda
