// SPDX-License-Identifier: Apache-2.0
// The kernel of integer_columns.h for AVX-512 VNNI, which multiplies and adds four bytes in one instruction without
// saturating.
#include "core/ops/quantized/integer_columns.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include <cstring>

#define LOUPE_VNNI __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni")))

namespace loupe::quantized_ops {
namespace {

// Rows x Blocks accumulators of 16 columns, which stay in registers where the loops are unrolled.
template <int Rows, int Blocks>
LOUPE_VNNI void multiply_tile(const std::uint8_t* a, std::int64_t a_stride, const std::int8_t* b, std::int64_t quads,
                              const std::int32_t* start, std::int32_t* sums, std::int64_t stride) {
    __m512i total[Rows][Blocks];
#pragma GCC unroll 16
    for (int j = 0; j < Blocks; ++j) {
        const __m512i first = _mm512_loadu_si512(start + j * kColumnBlock);
#pragma GCC unroll 16
        for (int i = 0; i < Rows; ++i) total[i][j] = first;
    }
    for (std::int64_t q = 0; q < quads; ++q) {
        __m512i right[Blocks];
#pragma GCC unroll 16
        for (int j = 0; j < Blocks; ++j) right[j] = _mm512_loadu_si512(b + (j * quads + q) * 64);
#pragma GCC unroll 16
        for (int i = 0; i < Rows; ++i) {
            std::int32_t four = 0;
            std::memcpy(&four, a + i * a_stride + q * 4, 4);
            const __m512i left = _mm512_set1_epi32(four);
#pragma GCC unroll 16
            for (int j = 0; j < Blocks; ++j) total[i][j] = _mm512_dpbusd_epi32(total[i][j], left, right[j]);
        }
    }
#pragma GCC unroll 16
    for (int i = 0; i < Rows; ++i)
#pragma GCC unroll 16
        for (int j = 0; j < Blocks; ++j) _mm512_storeu_si512(sums + i * stride + j * kColumnBlock, total[i][j]);
}

template <int Blocks>
LOUPE_VNNI void multiply_rows(const std::uint8_t* a, std::int64_t a_stride, std::int64_t m, const std::int8_t* b,
                              std::int64_t quads, const std::int32_t* start, std::int32_t* sums, std::int64_t stride) {
    constexpr int kRows = Blocks == 4 ? 6 : 8;
    std::int64_t i = 0;
    const auto run = [&]<int Rows>(std::integral_constant<int, Rows>) LOUPE_VNNI {
        multiply_tile<Rows, Blocks>(a + i * a_stride, a_stride, b, quads, start, sums + i * stride, stride);
        i += Rows;
    };
    while (i + kRows <= m) run(std::integral_constant<int, kRows>());
    if (i + 4 <= m) run(std::integral_constant<int, 4>());
    if (i + 2 <= m) run(std::integral_constant<int, 2>());
    while (i < m) run(std::integral_constant<int, 1>());
}

LOUPE_VNNI void multiply_quads(const std::uint8_t* a, std::int64_t a_stride, std::int64_t m, const std::int8_t* b,
                               std::int64_t quads, std::int64_t blocks, const std::int32_t* start, std::int32_t* sums,
                               std::int64_t stride) {
    std::int64_t j = 0;
    const auto run = [&]<int Blocks>(std::integral_constant<int, Blocks>) LOUPE_VNNI {
        multiply_rows<Blocks>(a, a_stride, m, b + j * quads * 64, quads, start + j * kColumnBlock,
                              sums + j * kColumnBlock, stride);
        j += Blocks;
    };
    while (j + 4 <= blocks) run(std::integral_constant<int, 4>());
    if (j + 2 <= blocks) run(std::integral_constant<int, 2>());
    if (j < blocks) run(std::integral_constant<int, 1>());
}

}  // namespace

MultiplyQuads vnni_kernel() {
    __builtin_cpu_init();
    const bool has_it = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vnni");
    return has_it ? multiply_quads : nullptr;
}

}  // namespace loupe::quantized_ops

#else

namespace loupe::quantized_ops {

MultiplyQuads vnni_kernel() { return nullptr; }

}  // namespace loupe::quantized_ops

#endif
