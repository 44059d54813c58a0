// SPDX-License-Identifier: Apache-2.0
#pragma once
// Greatest elements and means of windows, and their gradients. Includes nothing of the engine.

#include "plugins/cuda/loops/loop.h"

namespace loupe::cuda {

// Planes of three dimensions (leading ones 1), dense, or with the channels beside each other when `last`.
struct PoolGeometry {
    std::int64_t batch = 1;
    std::int64_t channels = 1;
    std::int64_t input[3] = {1, 1, 1};
    std::int64_t output[3] = {1, 1, 1};
    std::int64_t kernel[3] = {1, 1, 1};
    std::int64_t stride[3] = {1, 1, 1};
    std::int64_t padding[3] = {0, 0, 0};
    std::int64_t dilation[3] = {1, 1, 1};
    bool adaptive = false;  // as many windows as places; kernel, stride, padding and dilation say nothing
    bool last = false;
    // Of means.
    bool count_include_pad = true;
    std::int64_t divisor = 0;  // 0: the elements that count
    Element element = Element::Float32;

    LOUPE_HD std::int64_t pixels(const std::int64_t* size) const { return size[0] * size[1] * size[2]; }
};

// indices: int64, of the element in its plane. Whole numbers are pooled too; gradients are false for elements that are
// not floating.
bool run_max_pool(const Queue& queue, const PoolGeometry& geometry, const void* x, void* out, std::int64_t* indices);
bool run_max_pool_gradient(const Queue& queue, const PoolGeometry& geometry, const void* grad,
                           const std::int64_t* indices, void* out);
bool run_mean_pool(const Queue& queue, const PoolGeometry& geometry, const void* x, void* out);
bool run_mean_pool_gradient(const Queue& queue, const PoolGeometry& geometry, const void* grad, void* out);

}  // namespace loupe::cuda
