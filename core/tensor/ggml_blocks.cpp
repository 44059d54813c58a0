// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/ggml_blocks.h"

#include <array>
#include <bit>
#include <cstring>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/tensor/ggml_grids.h"
#include "core/tensor/half.h"

namespace loupe {
namespace {

using Bytes = const std::uint8_t*;

template <typename T>
T value_at(Bytes bytes) {
    T value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
}
std::uint16_t u16(Bytes bytes) { return value_at<std::uint16_t>(bytes); }
std::uint32_t u32(Bytes bytes) { return value_at<std::uint32_t>(bytes); }
float bit(unsigned bits, int place, float plus, float minus) { return (bits >> place & 1U) != 0 ? minus : plus; }
float real(int value) { return static_cast<float>(value); }

constexpr std::array<float, 16> kIq4{-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
constexpr std::array<float, 16> kFp4{0, 1, 2, 3, 4, 6, 8, 12, -0.0F, -1, -2, -3, -4, -6, -8, -12};

// The lower halves of 16 bytes, then their upper ones.
template <typename F>
void nibbles(Bytes q, float* y, F&& value) {
    for (int j = 0; j < 16; ++j) {
        y[j] = value(q[j] & 15, j);
        y[j + 16] = value(q[j] >> 4, j + 16);
    }
}

// --- a scale a block of 32 ---

void q4_0(Bytes b, float* y) {
    const float d = half_at(b);
    nibbles(b + 2, y, [&](int q, int) { return d * real(q - 8); });
}
void q4_1(Bytes b, float* y) {
    const float d = half_at(b), m = half_at(b + 2);
    nibbles(b + 4, y, [&](int q, int) { return d * real(q) + m; });
}
int fifth(std::uint32_t bits, int j) { return static_cast<int>(bits >> j & 1U) << 4; }
void q5_0(Bytes b, float* y) {
    const float d = half_at(b);
    const std::uint32_t high = u32(b + 2);
    nibbles(b + 6, y, [&](int q, int j) { return d * real((q | fifth(high, j)) - 16); });
}
void q5_1(Bytes b, float* y) {
    const float d = half_at(b), m = half_at(b + 2);
    const std::uint32_t high = u32(b + 4);
    nibbles(b + 8, y, [&](int q, int j) { return d * real(q | fifth(high, j)) + m; });
}
template <int kHeader>
void q8(Bytes b, float* y) {
    const float d = half_at(b);
    for (int j = 0; j < 32; ++j) y[j] = d * real(static_cast<std::int8_t>(b[kHeader + j]));
}
void iq4_nl(Bytes b, float* y) {
    const float d = half_at(b);
    nibbles(b + 2, y, [&](int q, int) { return d * kIq4[static_cast<std::size_t>(q)]; });
}
void mxfp4(Bytes b, float* y) {
    // 2^(e - 128): half of what e stands for, since the values are doubled.
    const std::uint32_t e = b[0];
    const float d = std::bit_cast<float>(e < 2 ? 0x00200000U << e : (e - 1) << 23);
    nibbles(b + 1, y, [&](int q, int) { return d * kFp4[static_cast<std::size_t>(q)]; });
}

// --- blocks of 256 with scales within ---

void q2_k(Bytes b, float* y) {
    const float d = half_at(b + 80), m = half_at(b + 82);
    for (int j = 0; j < 256; ++j) {
        const int half = j / 128, shift = j % 128 / 32 * 2, within = j % 32;
        const std::uint8_t scale = b[j / 16];
        y[j] = d * real(scale & 15) * real(b[16 + half * 32 + within] >> shift & 3) - m * real(scale >> 4);
    }
}
int q3_scale(Bytes s, int i) {
    const int low = i < 8 ? s[i] & 15 : s[i - 8] >> 4;
    return (low | (s[8 + i % 4] >> (i / 4 * 2) & 3) << 4) - 32;
}
void q3_k(Bytes b, float* y) {
    const float d = half_at(b + 108);
    for (int j = 0; j < 256; ++j) {
        const int half = j / 128, part = j % 128 / 32, within = j % 32;
        const int low = b[32 + half * 32 + within] >> (part * 2) & 3;
        const bool is_high = (b[within] >> (half * 4 + part) & 1) != 0;
        y[j] = d * real(q3_scale(b + 96, j / 16)) * real(low - (is_high ? 0 : 4));
    }
}
void q4_k(Bytes b, float* y) {
    const float d = half_at(b), m = half_at(b + 2);
    for (int i = 0; i < 8; ++i) {
        const auto [scale, least] = scale_and_min(b + 4, i);
        const float step = d * real(scale), from = m * real(least);
        for (int l = 0; l < 32; ++l) y[i * 32 + l] = step * real(b[16 + i / 2 * 32 + l] >> (i % 2 * 4) & 15) - from;
    }
}
void q5_k(Bytes b, float* y) {
    const float d = half_at(b), m = half_at(b + 2);
    for (int i = 0; i < 8; ++i) {
        const auto [scale, least] = scale_and_min(b + 4, i);
        const float step = d * real(scale), from = m * real(least);
        for (int l = 0; l < 32; ++l) {
            const int q = (b[48 + i / 2 * 32 + l] >> (i % 2 * 4) & 15) | (b[16 + l] >> i & 1) << 4;
            y[i * 32 + l] = step * real(q) - from;
        }
    }
}
void q6_k(Bytes b, float* y) {
    const float d = half_at(b + 208);
    for (int j = 0; j < 256; ++j) {
        const int half = j / 128, part = j % 128 / 32, within = j % 32;
        const int low = b[half * 64 + part % 2 * 32 + within] >> (part / 2 * 4) & 15;
        const int high = b[128 + half * 32 + within] >> (part * 2) & 3;
        y[j] = d * real(static_cast<std::int8_t>(b[192 + j / 16])) * real((low | high << 4) - 32);
    }
}
void q8_k(Bytes b, float* y) {
    const auto d = value_at<float>(b);
    for (int j = 0; j < 256; ++j) y[j] = d * real(static_cast<std::int8_t>(b[4 + j]));
}
void iq4_xs(Bytes b, float* y) {
    const float d = half_at(b);
    const unsigned high = u16(b + 2);
    for (int i = 0; i < 8; ++i) {
        const int scale = (b[4 + i / 2] >> (i % 2 * 4) & 15) | static_cast<int>(high >> (2 * i) & 3U) << 4;
        const float step = d * real(scale - 32);
        nibbles(b + 8 + i * 16, y + i * 32, [&](int q, int) { return step * kIq4[static_cast<std::size_t>(q)]; });
    }
}

// --- points of a lattice ---

// The signs of eight coordinates by seven bits: their number is even.
unsigned even_signs(unsigned seven) { return seven | static_cast<unsigned>(std::popcount(seven) & 1) << 7; }

void point_of_8(float step, std::uint16_t point, unsigned signs, float* y) {
    constexpr std::array<float, 4> kValues{8, 25, 43, 60};
    for (int j = 0; j < 8; ++j) y[j] = step * kValues[point >> (2 * j) & 3U] * bit(signs, j, 1, -1);
}
void iq2_xxs(Bytes b, float* y) {
    const float d = half_at(b);
    for (int i = 0; i < 8; ++i) {
        const Bytes q = b + 2 + i * 8;
        const std::uint32_t rest = u32(q + 4);
        const float step = d * (0.5F + static_cast<float>(rest >> 28)) * 0.25F;
        for (int l = 0; l < 4; ++l)
            point_of_8(step, grid_iq2_xxs()[q[l]], even_signs(rest >> (7 * l) & 127U), y + i * 32 + l * 8);
    }
}
float half_scale(float d, std::uint8_t scales, int l) {
    return d * (0.5F + real(l < 2 ? scales & 15 : scales >> 4)) * 0.25F;
}
void iq2_xs(Bytes b, float* y) {
    const float d = half_at(b);
    for (int i = 0; i < 32; ++i) {
        const unsigned q = u16(b + 2 + 2 * i);
        point_of_8(half_scale(d, b[66 + i / 4], i % 4), grid_iq2_xs()[q & 511U], even_signs(q >> 9), y + i * 8);
    }
}
void iq2_s(Bytes b, float* y) {
    const float d = half_at(b);
    for (int i = 0; i < 32; ++i) {
        const unsigned q = b[2 + i] | (static_cast<unsigned>(b[66 + i / 4]) << (8 - 2 * (i % 4)) & 0x300U);
        point_of_8(half_scale(d, b[74 + i / 4], i % 4), grid_iq2_s()[q], b[34 + i], y + i * 8);
    }
}
void iq3_xxs(Bytes b, float* y) {
    const float d = half_at(b);
    constexpr std::array<float, 8> kValues{4, 12, 20, 28, 36, 44, 52, 62};
    for (int i = 0; i < 8; ++i) {
        const std::uint32_t rest = u32(b + 66 + 4 * i);
        const float step = d * (0.5F + static_cast<float>(rest >> 28)) * 0.5F;
        for (int j = 0; j < 32; ++j) {
            const std::uint16_t point = grid_iq3_xxs()[b[2 + i * 8 + j / 4]];
            const unsigned signs = even_signs(rest >> (7 * (j / 8)) & 127U);
            y[i * 32 + j] = step * kValues[point >> (3 * (j % 4)) & 7U] * bit(signs, j % 8, 1, -1);
        }
    }
}
void iq3_s(Bytes b, float* y) {
    const float d = half_at(b);
    for (int i = 0; i < 8; ++i) {
        const float step = d * real(1 + 2 * (b[106 + i / 2] >> (i % 2 * 4) & 15));
        for (int j = 0; j < 32; ++j) {
            const unsigned q = b[2 + i * 8 + j / 4] | (static_cast<unsigned>(b[66 + i]) >> (j / 4) & 1U) << 8;
            const unsigned at = grid_iq3_s()[q] >> (3 * (j % 4)) & 7U;
            y[i * 32 + j] = step * static_cast<float>(2 * at + 1) * bit(b[74 + i * 4 + j / 8], j % 8, 1, -1);
        }
    }
}
constexpr float kIq1Delta = 0.125F;
void point_of_iq1(float step, std::uint16_t point, float delta, float* y) {
    for (int j = 0; j < 8; ++j) y[j] = step * (real(static_cast<int>(point >> (2 * j) & 3U) - 1) + delta);
}
void iq1_s(Bytes b, float* y) {
    const float d = half_at(b);
    for (int i = 0; i < 8; ++i) {
        const unsigned high = u16(b + 34 + 2 * i);
        const float step = d * static_cast<float>(2 * (high >> 12 & 7U) + 1);
        for (int l = 0; l < 4; ++l)
            point_of_iq1(step, grid_iq1()[b[2 + i * 4 + l] | (high >> (3 * l) & 7U) << 8],
                         bit(high, 15, kIq1Delta, -kIq1Delta), y + i * 32 + l * 8);
    }
}
void iq1_m(Bytes b, float* y) {
    std::array<unsigned, 4> scales{};
    for (std::size_t i = 0; i < 4; ++i) scales[i] = u16(b + 48 + 2 * i);
    const unsigned whole =
        scales[0] >> 12 | (scales[1] >> 8 & 0xf0U) | (scales[2] >> 4 & 0xf00U) | (scales[3] & 0xf000U);
    const auto narrow = static_cast<std::uint16_t>(whole);
    const float d = half_at(reinterpret_cast<Bytes>(&narrow));
    for (int i = 0; i < 32; ++i) {
        const unsigned high = b[32 + i / 2] >> (i % 2 * 4) & 15U;
        const unsigned scale = scales[static_cast<std::size_t>(i / 8)] >> (3 * (i / 2 % 4)) & 7U;
        point_of_iq1(d * static_cast<float>(2 * scale + 1), grid_iq1()[b[i] | (high & 7U) << 8],
                     bit(high, 3, kIq1Delta, -kIq1Delta), y + i * 8);
    }
}

// --- three values: digits to the base of 3, or 2 bits ---

float digit(std::uint8_t byte, int place) {
    constexpr std::array<unsigned, 5> kPowers{1, 3, 9, 27, 81};
    const unsigned q = byte * kPowers[static_cast<std::size_t>(place)] & 255U;
    return real(static_cast<int>(q * 3U >> 8) - 1);
}
void tq1_0(Bytes b, float* y) {
    const float d = half_at(b + 52);
    for (int j = 0; j < 160; ++j) y[j] = d * digit(b[j % 32], j / 32);
    for (int j = 0; j < 80; ++j) y[160 + j] = d * digit(b[32 + j % 16], j / 16);
    for (int j = 0; j < 16; ++j) y[240 + j] = d * digit(b[48 + j % 4], j / 4);
}
void tq2_0(Bytes b, float* y) {
    const float d = half_at(b + 64);
    for (int j = 0; j < 256; ++j) y[j] = d * real((b[j / 128 * 32 + j % 32] >> (j % 128 / 32 * 2) & 3) - 1);
}

// --- plain numbers ---

template <typename T>
void plain(Bytes b, float* y) {
    *y = static_cast<float>(value_at<T>(b));
}
void f16(Bytes b, float* y) { *y = half_at(b); }
void bf16(Bytes b, float* y) { *y = std::bit_cast<float>(std::uint32_t{u16(b)} << 16); }

using BlockFunction = void (*)(Bytes, float*);

BlockFunction block_function(std::uint32_t number) {
    switch (number) {
        case 0:
            return plain<float>;
        case 1:
            return f16;
        case 2:
            return q4_0;
        case 3:
            return q4_1;
        case 6:
            return q5_0;
        case 7:
            return q5_1;
        case 8:
            return q8<2>;
        case 9:
            return q8<4>;
        case 10:
            return q2_k;
        case 11:
            return q3_k;
        case 12:
            return q4_k;
        case 13:
            return q5_k;
        case 14:
            return q6_k;
        case 15:
            return q8_k;
        case 16:
            return iq2_xxs;
        case 17:
            return iq2_xs;
        case 18:
            return iq3_xxs;
        case 19:
            return iq1_s;
        case 20:
            return iq4_nl;
        case 21:
            return iq3_s;
        case 22:
            return iq2_s;
        case 23:
            return iq4_xs;
        case 24:
            return plain<std::int8_t>;
        case 25:
            return plain<std::int16_t>;
        case 26:
            return plain<std::int32_t>;
        case 27:
            return plain<std::int64_t>;
        case 28:
            return plain<double>;
        case 29:
            return iq1_m;
        case 30:
            return bf16;
        case 34:
            return tq1_0;
        case 35:
            return tq2_0;
        case 39:
            return mxfp4;
        default:
            return nullptr;
    }
}

}  // namespace

float half_at(const std::uint8_t* bytes) { return static_cast<float>(std::bit_cast<Half>(u16(bytes))); }

ScaleAndMin scale_and_min(const std::uint8_t* s, int i) {
    if (i < 4) return {s[i] & 63, s[i + 4] & 63};
    return {(s[i + 4] & 15) | s[i - 4] >> 6 << 4, s[i + 4] >> 4 | s[i] >> 6 << 4};
}

void dequantize_blocks(const GgmlType& type, const std::uint8_t* blocks, std::int64_t count, float* to) {
    const BlockFunction function = block_function(type.number);
    if (function == nullptr) throw Error(ErrorKind::Internal, concat("no numbers of ggml's ", type.name));
    for (std::int64_t i = 0; i < count / type.elements; ++i) function(blocks + i * type.bytes, to + i * type.elements);
}

}  // namespace loupe
