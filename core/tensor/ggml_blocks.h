// SPDX-License-Identifier: Apache-2.0
#pragma once
// The numbers that blocks of ggml stand for (ggml-quants.c, dequantize_row_*), in float32.

#include <cstdint>

#include "core/tensor/ggml_type.h"

namespace loupe {

// `count` elements, whole blocks, of any type that ggml_type() has. The bytes are little-endian and need no alignment.
void dequantize_blocks(const GgmlType& type, const std::uint8_t* blocks, std::int64_t count, float* to);

// A scale of half precision at that place.
float half_at(const std::uint8_t* bytes);

// The i-th of 8 scales (and least values) of 6 bits, in the 12 bytes of Q4_K and Q5_K.
struct ScaleAndMin {
    int scale, least;
};
ScaleAndMin scale_and_min(const std::uint8_t* scales, int i);

}  // namespace loupe
