// SPDX-License-Identifier: Apache-2.0
#pragma once
// Stretches of one dimension that are reduced: their checks and where they begin, which kernels of devices ask too.

#include <string_view>
#include <vector>

#include "core/tensor/tensor.h"

namespace loupe::composed {

enum class SegmentReduce { Max, Mean, Min, Sum, Prod };

// "max", "mean", ...; throws Error (Run) for others.
SegmentReduce segment_reduce_of(std::string_view name);

// Data seen as [outer, size, inner]; segment k of row o is [bounds[o][k], bounds[o][k + 1]).
struct Segments {
    std::int64_t outer = 1;
    std::int64_t size = 1;
    std::int64_t inner = 1;
    std::int64_t count = 0;
    Dims output;
    std::vector<std::int64_t> bounds;

    std::int64_t start(std::int64_t row, std::int64_t k) const {
        return bounds[static_cast<std::size_t>(row * (count + 1) + k)];
    }
};

// Throw Error (Run) in PyTorch's words for arguments that do not fit; shapes do not read lengths or offsets.
Segments segment_shape(const Tensor& data, const Tensor& lengths, const Tensor& indices, const Tensor& offsets,
                       std::int64_t dim);
Segments segments_of(const Tensor& data, const Tensor& lengths, const Tensor& offsets, std::int64_t axis,
                     bool is_unsafe);

}  // namespace loupe::composed
