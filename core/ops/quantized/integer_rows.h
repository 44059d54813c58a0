// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sums of products of 8-bit integers channel by channel, and what rounds floats and sums to integers of 8 bits.

#include <cstdint>
#include <vector>

namespace loupe::quantized_ops {

// values: [count, depth].
struct IntegerRows {
    std::int64_t count = 0;
    std::int64_t depth = 0;
    std::vector<std::int16_t> values = {};

    const std::int16_t* row(std::int64_t i) const { return values.data() + i * depth; }
};

// sums[c] = sum over taps t of (rows[t][c] - zero_point) weights[t][c], for n channels c; exact in int32.
void sum_taps(const std::uint8_t* const* rows, const std::int16_t* const* weights, std::size_t taps,
              std::int32_t zero_point, std::int64_t n, std::int32_t* sums);

// target[i] = round(x[i] inverse) + zero_point, clamped; halves are rounded to even.
struct Rounding {
    float inverse = 1;
    std::int32_t zero_point = 0;
    std::int32_t least = 0;
    std::int32_t most = 0;
};
void quantize_row(const float* x, std::int64_t n, const Rounding& to, std::uint8_t* target);
void quantize_row(const float* x, std::int64_t n, const Rounding& to, std::int8_t* target);

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
