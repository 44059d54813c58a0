// SPDX-License-Identifier: Apache-2.0
#pragma once
// Products of rows of uint8 with columns of int8, exact in int32 on every machine: PyTorch's FBGEMM, but without the
// saturation that it has where the processor lacks VNNI.

#include <cstdint>
#include <vector>

namespace loupe::quantized_ops {

inline constexpr std::int64_t kColumnBlock = 16;

// Weights as the kernels read them: blocks of 16 columns, each [quads, 16 columns, 4 elements], zeros behind.
struct IntegerColumns {
    std::int64_t count = 0;  // columns
    std::int64_t depth = 0;  // elements of a column
    std::vector<std::int8_t> values = {};
    std::vector<std::int32_t> sums = {};         // of each column
    std::vector<std::int32_t> zero_points = {};  // of each column; empty: 0

    std::int64_t quads() const { return (depth + 3) / 4; }
    std::int64_t blocks() const { return (count + kColumnBlock - 1) / kColumnBlock; }
    const std::int8_t* block(std::int64_t i) const { return values.data() + i * quads() * 4 * kColumnBlock; }
};
// integers: [count, depth], row-major; zero_points: one, or one for each of count.
IntegerColumns pack_columns(const std::int8_t* integers, std::int64_t count, std::int64_t depth,
                            const std::vector<std::int64_t>& zero_points);

// sums[i, j] = sum over k of (a[i, k] - zero_point) (b[j, k] - its zero point) for the columns of blocks [first, last),
// j from the first one's. a: m rows of `depth` bytes, of which a multiple of 4 may be read; sums: a multiple of 16
// wide.
struct ByteRows {
    const std::uint8_t* data;
    std::int64_t count;
    std::int64_t stride;
    std::int32_t zero_point;
};
void multiply_columns(const ByteRows& a, const IntegerColumns& b, std::int64_t first, std::int64_t last,
                      std::int32_t* sums, std::int64_t stride);

// The kernels of multiply_columns: sums of a times the blocks of b, added to start (16 for each block).
using MultiplyQuads = void (*)(const std::uint8_t* a, std::int64_t a_stride, std::int64_t m, const std::int8_t* b,
                               std::int64_t quads, std::int64_t blocks, const std::int32_t* start, std::int32_t* sums,
                               std::int64_t stride);
// Of AVX-512 VNNI; null where the machine has not got it.
MultiplyQuads vnni_kernel();
// Of the vectors that Highway finds.
MultiplyQuads vector_kernel();

}  // namespace loupe::quantized_ops
