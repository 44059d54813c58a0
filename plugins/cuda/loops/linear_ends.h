// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a linear layer ends in where no library does it within the product: an activation that keeps what its gradient
// reads, and that gradient. Includes nothing of the engine.

#include "plugins/cuda/loops/loop.h"

namespace loupe::cuda {

// Dense [rows, columns]. What is kept: of relu a bit an element, of gelu the element, `leading` (bits, elements) from
// row to row.
struct LinearEnd {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    Element element = Element::Float32;
    bool is_relu = false;  // else gelu, the tanh form
    std::int64_t leading = 0;
};
// out = activation(x), which may be the same memory; `aux` may be null.
bool run_linear_end(const Queue& queue, const LinearEnd& end, const void* x, void* out, void* aux);
// out = activation'(aux) grad, which may be the same memory.
bool run_linear_end_gradient(const Queue& queue, const LinearEnd& end, const void* grad, const void* aux, void* out);

}  // namespace loupe::cuda
