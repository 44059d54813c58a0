// SPDX-License-Identifier: Apache-2.0
#pragma once
// Elements of a tensor of any strides, handed out in contiguous pieces.

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "core/tensor/device_copy.h"
#include "core/tensor/tensor.h"

namespace loupe {

// Calls visit(const T* elements, n) until all are seen, in row-major order where `ordered`, in memory order (faster for
// dense tensors) where not; those of a device are copied to the host first. T must be the C++ type of the dtype.
template <typename T, typename Visit>
void walk_elements(const Tensor& t, bool ordered, Visit&& visit) {
    constexpr std::int64_t kPiece = 4096;
    if (!t.is_host_memory()) return walk_elements<T>(on_host(t), ordered, std::forward<Visit>(visit));
    const T* data = t.data<T>();
    if (t.is_contiguous() || (!ordered && t.is_non_overlapping_and_dense())) {
        for (std::int64_t at = 0; at < t.numel(); at += kPiece) visit(data + at, std::min(kPiece, t.numel() - at));
        return;
    }
    if (t.numel() == 0) return;
    std::vector<std::int64_t> index(static_cast<std::size_t>(t.dim()), 0);
    const std::int64_t row = t.size(-1);
    const std::int64_t step = t.stride(-1);
    std::array<T, kPiece> piece;
    std::int64_t filled = 0;
    while (true) {
        std::int64_t offset = 0;
        for (std::size_t d = 0; d + 1 < index.size(); ++d) offset += index[d] * t.strides()[d];
        for (std::int64_t i = 0; i < row; ++i) {
            piece[static_cast<std::size_t>(filled++)] = data[offset + i * step];
            if (filled == kPiece) {
                visit(static_cast<const T*>(piece.data()), filled);
                filled = 0;
            }
        }
        std::size_t d = index.size() - 1;
        while (d > 0 && ++index[d - 1] == t.sizes()[d - 1]) index[--d] = 0;
        if (d == 0) break;
    }
    if (filled > 0) visit(static_cast<const T*>(piece.data()), filled);
}

}  // namespace loupe
