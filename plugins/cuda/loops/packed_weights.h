// SPDX-License-Identifier: Apache-2.0
#pragma once
// Weights of 4 bits, two in a byte, and products with rows that are rounded to 8 bits. Includes nothing of the engine.

#include "plugins/cuda/loops/loop.h"

namespace loupe::cuda {

// Weights [columns, depth] in blocks of 32 columns, as PyTorch packs them with AVX2: where weight (n, k) lies, the byte
// and whether it is its upper half.
struct Nibble {
    std::int64_t byte;
    bool is_upper;
};
LOUPE_HD inline Nibble nibble_of(std::int64_t n, std::int64_t k, std::int64_t columns, std::int64_t depth) {
    constexpr std::int64_t kBlock = 32;
    const std::int64_t block = n / kBlock, within = n % kBlock, left = columns - block * kBlock;
    const std::int64_t start = block * depth * kBlock / 2;
    if (left >= kBlock) return {start + k * kBlock / 2 + within % (kBlock / 2), within >= kBlock / 2};
    return {start + k * left / 2 + within / 2, within % 2 == 1};
}
// packed: zeroed bytes.
void run_pack_nibbles(const Queue& queue, const std::int32_t* weights, std::int64_t columns, std::int64_t depth,
                      std::uint8_t* packed);
// weights[n, k] = (q - 8) scale + zero; parameters [depth / group, columns, 2].
void run_unpack_nibbles(const Queue& queue, const std::uint8_t* packed, std::int64_t columns, std::int64_t depth,
                        std::int64_t group, const float* parameters, float* weights);

// Rows as int8, less their zero point: x = offset step. offsets [rows, depth], steps [rows].
void run_round_rows(const Queue& queue, std::int64_t rows, std::int64_t depth, const float* x, std::int32_t* offsets,
                    float* steps);
// out[row, n] = step sum over blocks of (sum of offset (nibble - 8)) scale; bytes [columns, depth / 2] and scales
// [columns, depth / block] lie as float.
struct RowProduct {
    std::int64_t rows = 0, columns = 0, depth = 0, block = 0;
    const float* bytes = nullptr;
    const float* scales = nullptr;
};
void run_rounded_product(const Queue& queue, const RowProduct& product, const std::int32_t* offsets, const float* steps,
                         float* out);

}  // namespace loupe::cuda
