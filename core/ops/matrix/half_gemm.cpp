// SPDX-License-Identifier: Apache-2.0
// With few rows on one side each element of the other is read once, where it lies, and is float32 in registers only.
// With many both are widened, some columns at a time, for BLAS.
#include "core/ops/matrix/half_gemm.h"

#include <algorithm>
#include <vector>

#include "core/base/parallel.h"
#include "core/kernels/convert.h"
#include "core/kernels/row_products.h"

namespace loupe {
namespace {

constexpr std::int64_t kFewRows = 16;
constexpr std::int64_t kRowsKept = 32;              // in the cache, for all rows of the left side
constexpr std::int64_t kWidenedElements = 1 << 20;  // of the right side at a time
constexpr std::int64_t kSharedWork = 1 << 15;       // multiplications that are worth a thread

template <typename T>
void widen(const T* from, float* to, std::int64_t n) {
    if constexpr (std::is_same_v<T, Half>)
        convert_half(from, to, n);
    else
        for (std::int64_t i = 0; i < n; ++i) to[i] = static_cast<float>(from[i]);
}

// Rows one after the other.
template <typename T>
std::vector<float> widened(const MatrixRef<const T>& m) {
    std::vector<float> out(static_cast<std::size_t>(m.rows * m.columns));
    parallel_for(0, m.rows, std::max<std::int64_t>(1, kSharedWork / std::max<std::int64_t>(1, m.columns)),
                 [&](std::int64_t begin, std::int64_t end) {
                     for (std::int64_t i = begin; i < end; ++i) {
                         const T* const from = m.data + i * m.row_stride;
                         float* const to = out.data() + i * m.columns;
                         if (m.column_stride == 1)
                             widen(from, to, m.columns);
                         else
                             for (std::int64_t j = 0; j < m.columns; ++j)
                                 to[j] = static_cast<float>(from[j * m.column_stride]);
                     }
                 });
    return out;
}

// c = alpha sums + beta c, of columns [begin, end) of c; sums: rows `stride` apart, from column `begin` on.
template <typename T>
void put(float alpha, const float* sums, std::int64_t stride, float beta, const MatrixRef<T>& c, std::int64_t begin,
         std::int64_t end) {
    for (std::int64_t i = 0; i < c.rows; ++i)
        for (std::int64_t j = begin; j < end; ++j) {
            T& out = c.data[i * c.row_stride + j * c.column_stride];
            const float value = alpha * sums[i * stride + j - begin];
            out = T(beta == 0 ? value : beta * static_cast<float>(out) + value);
        }
}

template <typename T>
void few_rows(float alpha, const MatrixRef<const T>& a, const MatrixRef<const T>& b, float beta,
              const MatrixRef<T>& c) {
    const std::vector<float> x = widened(a);
    const std::int64_t k = a.columns;
    // As many columns as are worth a thread, and whole lines of the cache where rows of b are read.
    const std::int64_t grain = (kSharedWork / std::max<std::int64_t>(1, k * c.rows) + 64) / 64 * 64;
    parallel_for(0, c.columns, grain, [&](std::int64_t begin, std::int64_t end) {
        const std::int64_t size = end - begin;
        std::vector<float> sums(static_cast<std::size_t>(c.rows * size));
        if (b.row_stride == 1) {
            std::vector<const T*> rows;
            for (std::int64_t j = begin; j < end; ++j) rows.push_back(b.data + j * b.column_stride);
            row_dots<T>(rows.data(), size, k, x.data(), k, c.rows, sums.data(), size);
        } else {
            for (std::int64_t at = 0; at < k; at += kRowsKept)
                for (std::int64_t i = 0; i < c.rows; ++i)
                    add_scaled_rows(b.data + at * b.row_stride + begin, b.row_stride, std::min(kRowsKept, k - at), size,
                                    x.data() + i * k + at, sums.data() + i * size);
        }
        put(alpha, sums.data(), size, beta, c, begin, end);
    });
}

template <typename T>
void many_rows(float alpha, const MatrixRef<const T>& a, const MatrixRef<const T>& b, float beta,
               const MatrixRef<T>& c) {
    const std::vector<float> left = widened(a);
    const std::int64_t each = std::max<std::int64_t>(16, kWidenedElements / std::max<std::int64_t>(1, a.columns));
    std::vector<float> sums(static_cast<std::size_t>(c.rows * std::min(each, c.columns)));
    for (std::int64_t begin = 0; begin < c.columns; begin += each) {
        const std::int64_t size = std::min(each, c.columns - begin);
        MatrixRef<const T> part = b;
        part.data += begin * b.column_stride;
        part.columns = size;
        // Rows of the copy lie as those of the part do.
        const bool by_columns = b.row_stride == 1;
        const std::vector<float> right = widened(by_columns ? part.transposed() : part);
        const auto wide = by_columns ? dense_matrix(right.data(), size, b.rows).transposed()
                                     : dense_matrix(right.data(), b.rows, size);
        gemm<float>(1, dense_matrix<const float>(left.data(), a.rows, a.columns), wide, 0,
                    dense_matrix(sums.data(), c.rows, size));
        put(alpha, sums.data(), size, beta, c, begin, begin + size);
    }
}

}  // namespace

template <typename T>
void gemm_of_halves(float alpha, MatrixRef<const T> a, MatrixRef<const T> b, float beta, MatrixRef<T> c) {
    if (c.rows == 0 || c.columns == 0) return;
    // Few columns are few rows of the transposed product.
    if (c.columns < c.rows && c.columns <= kFewRows)
        return gemm_of_halves(alpha, b.transposed(), a.transposed(), beta, c.transposed());
    const bool has_unit_stride = b.row_stride == 1 || b.column_stride == 1;
    if (c.rows <= kFewRows && has_unit_stride) return few_rows(alpha, a, b, beta, c);
    many_rows(alpha, a, b, beta, c);
}

template void gemm_of_halves(float alpha, MatrixRef<const BFloat16> a, MatrixRef<const BFloat16> b, float beta,
                             MatrixRef<BFloat16> c);
template void gemm_of_halves(float alpha, MatrixRef<const Half> a, MatrixRef<const Half> b, float beta,
                             MatrixRef<Half> c);

}  // namespace loupe
