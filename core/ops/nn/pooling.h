// SPDX-License-Identifier: Apache-2.0
#pragma once
// The geometry of pooling, up to three dimensions (leading ones 1).

#include "core/ops/nn/common.h"

namespace loupe::nn_ops {

using Extents = std::array<std::int64_t, 3>;

struct PoolShape {
    std::int64_t planes = 1;  // batch times channels
    Extents input{1, 1, 1};
    Extents output{1, 1, 1};
    Extents kernel{1, 1, 1};
    Extents stride{1, 1, 1};
    Extents padding{0, 0, 0};
    Extents dilation{1, 1, 1};

    std::int64_t input_pixels() const { return input[0] * input[1] * input[2]; }
    std::int64_t output_pixels() const { return output[0] * output[1] * output[2]; }
};

// Arguments of one pooling call; an empty stride is the kernel.
struct PoolParameters {
    Dims kernel;
    Dims stride;
    Dims padding;
    Dims dilation;
    bool ceil_mode = false;
};

// Sizes of the pooled tensor (with the batch when x has one) and the geometry. Throws PyTorch's messages.
PoolShape pool_shape(const Tensor& x, const PoolParameters& p, std::size_t spatial, Dims& output_sizes);
// x [.., C, *]: sizes with the last `spatial` replaced.
Dims with_spatial(const Tensor& x, const Dims& spatial_sizes);

}  // namespace loupe::nn_ops
