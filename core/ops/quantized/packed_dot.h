// SPDX-License-Identifier: Apache-2.0
#pragma once
// Dot products of rows packed as ggml packs them with float32, on the packed form, and their numbers.

#include <cstdint>

#include "core/tensor/ggml_type.h"

namespace loupe::quantized_ops {

// Of 1 or 2 inputs: x has them one after the other, `columns` numbers each, sums those of each 32 of their numbers
// (see sums_of_blocks). to: the results, `to_stride` apart.
using PackedDot = void (*)(const std::uint8_t* row, const float* x, const float* sums, std::int64_t columns, float* to,
                           std::int64_t to_stride);
// The numbers of a row.
using PackedUnpack = void (*)(const std::uint8_t* row, std::int64_t columns, float* to);
struct PackedDots {
    PackedDot one = nullptr, two = nullptr;
    PackedUnpack unpack = nullptr;
};
// Null for types that dequantize_blocks unpacks first: all but Q4_0, Q8_0, Q4_K, Q5_K and Q6_K.
PackedDots packed_dots(const GgmlType& type);
// to[i] = x[32 i] + ... + x[32 i + 31].
void sums_of_blocks(const float* x, std::int64_t columns, float* to);

}  // namespace loupe::quantized_ops
