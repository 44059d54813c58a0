// SPDX-License-Identifier: Apache-2.0
#pragma once
// Products of a few rows of float32 with a matrix that is read once, whose elements are float32 or of 16 bits and
// become float32 in registers. T: float, Half or BFloat16.

#include <cstdint>

#include "core/tensor/half.h"

namespace loupe {

// to[r * to_stride + i] = sum_j rows[i][j] * x[r * x_stride + j], for r < count, i < row_count and j < n.
template <typename T>
void row_dots(const T* const* rows, std::int64_t row_count, std::int64_t n, const float* x, std::int64_t x_stride,
              std::int64_t count, float* to, std::int64_t to_stride);

// to[j] += sum_k factors[k] * rows[k * stride + j], for k < count and j < n.
template <typename T>
void add_scaled_rows(const T* rows, std::int64_t stride, std::int64_t count, std::int64_t n, const float* factors,
                     float* to);

}  // namespace loupe
