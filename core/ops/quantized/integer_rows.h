// SPDX-License-Identifier: Apache-2.0
#pragma once
// Products of rows of 16-bit integers, exact in int32: 8-bit numbers less their zero points fit 9 bits.

#include <cstdint>
#include <vector>

namespace loupe::quantized_ops {

// Rows are padded with zeros to a multiple of this.
inline constexpr std::int64_t kRowStep = 32;
inline std::int64_t padded_depth(std::int64_t depth) { return (depth + kRowStep - 1) / kRowStep * kRowStep; }

// values: [count, depth], depth a multiple of kRowStep.
struct IntegerRows {
    std::int64_t count = 0;
    std::int64_t depth = 0;
    std::vector<std::int16_t> values = {};

    const std::int16_t* row(std::int64_t i) const { return values.data() + i * depth; }
};

// sums[i * stride + j] = sum over k of a[i * depth + k] b[j * depth + k]; a: [m, depth], b: [n, depth].
void multiply_rows(const std::int16_t* a, std::int64_t m, const std::int16_t* b, std::int64_t n, std::int64_t depth,
                   std::int32_t* sums, std::int64_t stride);

// sums[c] += x[c] w[c].
void add_products(const std::int16_t* x, const std::int16_t* w, std::int64_t n, std::int32_t* sums);

// What a sum in int32 stands for: round((sum + offset) multiplier) + zero_point, clamped; FBGEMM's
// requantizeOutputProcessing. Halves are rounded to even.
struct Requantizer {
    std::vector<float> multipliers = {};  // of each channel
    std::vector<float> offsets = {};      // bias in units of the sum
    std::int32_t zero_point = 0;
    std::int32_t least = 0;
    std::int32_t most = 0;
};
// Channels [first, first + n).
void requantize(const std::int32_t* sums, const Requantizer& to, std::int64_t first, std::int64_t n,
                std::uint8_t* target);
void requantize(const std::int32_t* sums, const Requantizer& to, std::int64_t first, std::int64_t n,
                std::int8_t* target);

}  // namespace loupe::quantized_ops
