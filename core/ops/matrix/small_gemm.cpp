// SPDX-License-Identifier: Apache-2.0
#include "core/ops/matrix/small_gemm.h"

#include <algorithm>
#include <vector>

#include "core/ops/nn/simd.h"

// Vectors stay inside inlined functions, so their calling convention never matters.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace loupe {
namespace {

template <typename T>
struct VectorOf {
    typedef T Type __attribute__((vector_size(64), aligned(alignof(T)), may_alias));
};
template <typename T>
using Vector = typename VectorOf<T>::Type;
template <typename T>
inline constexpr std::int64_t kLanes = 64 / static_cast<std::int64_t>(sizeof(T));

// R rows of c, C vectors wide, held in registers while k runs.
template <int R, int C, typename T>
LOUPE_INLINE inline void tile(std::int64_t k, const T* a, std::int64_t a_row, std::int64_t a_column, const T* b,
                              std::int64_t ldb, T* c, std::int64_t ldc, bool accumulate) {
    Vector<T> sums[R][C];
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) {
#pragma GCC unroll 8
        for (int v = 0; v < C; ++v) {
            if (accumulate)
                sums[r][v] = *reinterpret_cast<const Vector<T>*>(c + r * ldc + v * kLanes<T>);
            else
                sums[r][v] = Vector<T>{};
        }
    }
    for (std::int64_t p = 0; p < k; ++p) {
        Vector<T> row[C];
#pragma GCC unroll 8
        for (int v = 0; v < C; ++v) row[v] = *reinterpret_cast<const Vector<T>*>(b + p * ldb + v * kLanes<T>);
#pragma GCC unroll 8
        for (int r = 0; r < R; ++r) {
#pragma GCC unroll 8
            for (int v = 0; v < C; ++v) sums[r][v] += a[r * a_row + p * a_column] * row[v];
        }
    }
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) {
#pragma GCC unroll 8
        for (int v = 0; v < C; ++v) *reinterpret_cast<Vector<T>*>(c + r * ldc + v * kLanes<T>) = sums[r][v];
    }
}

// As many rows at once as keep both multipliers busy.
template <int C, typename T>
LOUPE_INLINE inline void strip(std::int64_t m, std::int64_t k, const T* a, std::int64_t a_row, std::int64_t a_column,
                               const T* b, std::int64_t ldb, T* c, std::int64_t ldc, bool accumulate) {
    constexpr int kRows = C == 4 ? 4 : 8;
    std::int64_t i = 0;
    for (; i + kRows <= m; i += kRows)
        tile<kRows, C>(k, a + i * a_row, a_row, a_column, b, ldb, c + i * ldc, ldc, accumulate);
    for (; i + 4 <= m; i += 4) tile<4, C>(k, a + i * a_row, a_row, a_column, b, ldb, c + i * ldc, ldc, accumulate);
    for (; i + 2 <= m; i += 2) tile<2, C>(k, a + i * a_row, a_row, a_column, b, ldb, c + i * ldc, ldc, accumulate);
    for (; i < m; ++i) tile<1, C>(k, a + i * a_row, a_row, a_column, b, ldb, c + i * ldc, ldc, accumulate);
}

// The last columns, fewer than a vector, in a copy that is one wide.
template <typename T>
void narrow_strip(std::int64_t m, std::int64_t n, std::int64_t k, const T* a, std::int64_t a_row, std::int64_t a_column,
                  const T* b, std::int64_t ldb, T* c, std::int64_t ldc, bool accumulate) {
    constexpr std::int64_t kWidth = kLanes<T>;
    std::vector<T> wide(static_cast<std::size_t>((k + m) * kWidth), T(0));
    T* result = wide.data() + k * kWidth;
    for (std::int64_t p = 0; p < k; ++p) std::copy_n(b + p * ldb, n, wide.data() + p * kWidth);
    if (accumulate) {
        for (std::int64_t i = 0; i < m; ++i) std::copy_n(c + i * ldc, n, result + i * kWidth);
    }
    with_best_instructions(
        [&]() LOUPE_INLINE { strip<1>(m, k, a, a_row, a_column, wide.data(), kWidth, result, kWidth, accumulate); });
    for (std::int64_t i = 0; i < m; ++i) std::copy_n(result + i * kWidth, n, c + i * ldc);
}

}  // namespace

template <typename T>
void small_gemm(std::int64_t m, std::int64_t n, std::int64_t k, const T* a, std::int64_t a_row, std::int64_t a_column,
                const T* b, std::int64_t ldb, T* c, std::int64_t ldc, bool accumulate) {
    constexpr std::int64_t kWidth = kLanes<T>;
    std::int64_t j = 0;
    with_best_instructions([&]() LOUPE_INLINE {
        for (; j + 4 * kWidth <= n; j += 4 * kWidth)
            strip<4>(m, k, a, a_row, a_column, b + j, ldb, c + j, ldc, accumulate);
        for (; j + 2 * kWidth <= n; j += 2 * kWidth)
            strip<2>(m, k, a, a_row, a_column, b + j, ldb, c + j, ldc, accumulate);
        for (; j + kWidth <= n; j += kWidth) strip<1>(m, k, a, a_row, a_column, b + j, ldb, c + j, ldc, accumulate);
    });
    if (j < n) narrow_strip(m, n - j, k, a, a_row, a_column, b + j, ldb, c + j, ldc, accumulate);
}

template <typename T>
void small_gemm(std::int64_t m, std::int64_t n, std::int64_t k, const T* a, std::int64_t lda, const T* b,
                std::int64_t ldb, T* c, std::int64_t ldc, bool accumulate) {
    small_gemm(m, n, k, a, lda, std::int64_t{1}, b, ldb, c, ldc, accumulate);
}

#define LOUPE_INSTANTIATE_SMALL_GEMM(T)                                                                         \
    template void small_gemm<T>(std::int64_t, std::int64_t, std::int64_t, const T*, std::int64_t, const T*,     \
                                std::int64_t, T*, std::int64_t, bool);                                          \
    template void small_gemm<T>(std::int64_t, std::int64_t, std::int64_t, const T*, std::int64_t, std::int64_t, \
                                const T*, std::int64_t, T*, std::int64_t, bool);
LOUPE_INSTANTIATE_SMALL_GEMM(float)
LOUPE_INSTANTIATE_SMALL_GEMM(double)
#undef LOUPE_INSTANTIATE_SMALL_GEMM

}  // namespace loupe
