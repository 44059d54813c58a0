// SPDX-License-Identifier: Apache-2.0
#pragma once
// Greatest elements of windows whose places are drawn at random. Includes nothing of the engine.

#include "plugins/cuda/loops/fault.h"
#include "plugins/cuda/loops/loop.h"

namespace loupe::cuda {

// Dense planes of three dimensions (leading ones 1). samples: of each plane one for each of `spatial` dimensions, of
// images the last dimension's first. A sample outside of 0 to 1 is a fault.
struct FractionalShape {
    Element element = Element::Float32;
    int spatial = 2;
    std::int64_t planes = 0;
    std::int64_t input[3] = {1, 1, 1}, output[3] = {1, 1, 1}, kernel[3] = {1, 1, 1};
    Fault* fault = nullptr;
};
// indices: of the element in its plane. False for elements that are not floating.
bool run_fractional_pool(const Queue& queue, const FractionalShape& shape, const void* x, const void* samples,
                         void* out, std::int64_t* indices);

}  // namespace loupe::cuda
