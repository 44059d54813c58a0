// SPDX-License-Identifier: Apache-2.0
#include "core/ops/matrix/gemm.h"

#include <cblas.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "core/base/parallel.h"
#include "core/kernels/row_products.h"
#include "core/ops/matrix/blas_scope.h"

namespace loupe {
namespace {

FloatGemm float_gemm = nullptr;

template <typename T>
inline constexpr bool kHasBlas = std::is_same_v<T, float> || std::is_same_v<T, double> ||
                                 std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

blasint narrow(std::int64_t n) { return static_cast<blasint>(n); }

// A matrix for CBLAS: row major with a leading dimension, or the transpose of one.
struct Leading {
    CBLAS_TRANSPOSE transpose;
    std::int64_t dimension;
};
template <typename T>
bool find_leading(const MatrixRef<T>& m, Leading& leading) {
    if ((m.column_stride == 1 || m.columns <= 1) &&
        (m.row_stride >= std::max<std::int64_t>(1, m.columns) || m.rows <= 1)) {
        leading = {CblasNoTrans, m.rows <= 1 ? std::max<std::int64_t>(1, m.columns) : m.row_stride};
        return true;
    }
    if ((m.row_stride == 1 || m.rows <= 1) &&
        (m.column_stride >= std::max<std::int64_t>(1, m.rows) || m.columns <= 1)) {
        leading = {CblasTrans, m.columns <= 1 ? std::max<std::int64_t>(1, m.rows) : m.column_stride};
        return true;
    }
    return false;
}

template <typename T>
void blas_gemm(T alpha, const MatrixRef<const T>& a, Leading la, const MatrixRef<const T>& b, Leading lb, T beta, T* c,
               std::int64_t ldc, std::int64_t rows, std::int64_t columns) {
    const blasint m = narrow(rows);
    const blasint n = narrow(columns);
    const blasint k = narrow(a.columns);
    const blasint lda = narrow(la.dimension);
    const blasint ldb = narrow(lb.dimension);
    if constexpr (std::is_same_v<T, float>) {
        cblas_sgemm(CblasRowMajor, la.transpose, lb.transpose, m, n, k, alpha, a.data, lda, b.data, ldb, beta, c,
                    narrow(ldc));
    } else if constexpr (std::is_same_v<T, double>) {
        cblas_dgemm(CblasRowMajor, la.transpose, lb.transpose, m, n, k, alpha, a.data, lda, b.data, ldb, beta, c,
                    narrow(ldc));
    } else if constexpr (std::is_same_v<T, std::complex<float>>) {
        cblas_cgemm(CblasRowMajor, la.transpose, lb.transpose, m, n, k, &alpha, a.data, lda, b.data, ldb, &beta, c,
                    narrow(ldc));
    } else {
        cblas_zgemm(CblasRowMajor, la.transpose, lb.transpose, m, n, k, &alpha, a.data, lda, b.data, ldb, &beta, c,
                    narrow(ldc));
    }
}

template <typename T>
std::vector<T> packed_copy(const MatrixRef<const T>& m) {
    std::vector<T> copy(static_cast<std::size_t>(m.rows * m.columns));
    std::size_t at = 0;
    for (std::int64_t i = 0; i < m.rows; ++i) {
        for (std::int64_t j = 0; j < m.columns; ++j) copy[at++] = m.data[i * m.row_stride + j * m.column_stride];
    }
    return copy;
}

template <typename T>
void scale(T beta, const MatrixRef<T>& c) {
    for (std::int64_t i = 0; i < c.rows; ++i) {
        for (std::int64_t j = 0; j < c.columns; ++j) {
            T& element = c.data[i * c.row_stride + j * c.column_stride];
            element = beta == T(0) ? T(0) : static_cast<T>(beta * element);
        }
    }
}

constexpr std::int64_t kFewRows = 16;
constexpr std::int64_t kLargeMatrix = 1 << 18;  // elements: more than caches keep from one product to the next

// A few rows times a large matrix whose columns lie together, as a layer has its weight: the memory decides.
bool reads_rows_once(const MatrixRef<const float>& b, const MatrixRef<float>& c) {
    return c.rows <= kFewRows && b.row_stride == 1 && b.rows > 1 && b.rows * b.columns >= kLargeMatrix;
}

void few_rows(float alpha, const MatrixRef<const float>& a, const MatrixRef<const float>& b, float beta,
              const MatrixRef<float>& c) {
    std::vector<float> copy;
    const float* x = a.data;
    std::int64_t stride = a.row_stride;
    if (a.column_stride != 1) {
        copy = packed_copy(a);
        x = copy.data();
        stride = a.columns;
    }
    constexpr std::int64_t kGrain = 64;
    parallel_for(0, c.columns, kGrain, [&](std::int64_t begin, std::int64_t end) {
        const std::int64_t size = end - begin;
        std::vector<const float*> columns;
        for (std::int64_t j = begin; j < end; ++j) columns.push_back(b.data + j * b.column_stride);
        std::vector<float> sums(static_cast<std::size_t>(c.rows * size));
        row_dots<float>(columns.data(), size, a.columns, x, stride, c.rows, sums.data(), size);
        for (std::int64_t i = 0; i < c.rows; ++i)
            for (std::int64_t j = begin; j < end; ++j) {
                float& out = c.data[i * c.row_stride + j * c.column_stride];
                const float value = alpha * sums[static_cast<std::size_t>(i * size + j - begin)];
                out = beta == 0 ? value : beta * out + value;
            }
    });
}

// Splits the longer side of c; each piece is one call.
template <typename T>
void threaded_gemm(T alpha, const MatrixRef<const T>& a, const MatrixRef<const T>& b, T beta, const MatrixRef<T>& c) {
    Leading la;
    Leading lb;
    std::vector<T> a_copy;
    std::vector<T> b_copy;
    MatrixRef<const T> left = a;
    MatrixRef<const T> right = b;
    if (!find_leading(left, la)) {
        a_copy = packed_copy(a);
        left = dense_matrix<const T>(a_copy.data(), a.rows, a.columns);
        find_leading(left, la);
    }
    if (!find_leading(right, lb)) {
        b_copy = packed_copy(b);
        right = dense_matrix<const T>(b_copy.data(), b.rows, b.columns);
        find_leading(right, lb);
    }
    const std::int64_t ldc = c.rows <= 1 ? std::max<std::int64_t>(1, c.columns) : c.row_stride;
    if constexpr (std::is_same_v<T, float>) {
        if (reads_rows_once(b, c)) return few_rows(alpha, a, b, beta, c);
        if (float_gemm != nullptr) {
            float_gemm(la.transpose != CblasNoTrans, lb.transpose != CblasNoTrans, c.rows, c.columns, a.columns, alpha,
                       left.data, la.dimension, right.data, lb.dimension, beta, c.data, ldc);
            return;
        }
    }
    constexpr std::int64_t kMinimumWork = 1 << 17;  // multiplications that are worth a thread
    const std::int64_t work = c.rows * c.columns * a.columns;
    const std::int64_t pieces = std::clamp<std::int64_t>(work / kMinimumWork, 1, thread_count());
    const BlasScope blas(static_cast<int>(pieces));
    if (pieces == 1) return blas_gemm(alpha, left, la, right, lb, beta, c.data, ldc, c.rows, c.columns);
    const bool by_rows = c.rows >= c.columns;
    constexpr std::int64_t kUnit = 16;  // pieces end at a multiple, so that the kernels' tiles stay whole
    const std::int64_t units = ((by_rows ? c.rows : c.columns) + kUnit - 1) / kUnit;
    parallel_for(0, units, (units + pieces - 1) / pieces, [&](std::int64_t begin, std::int64_t end) {
        const std::int64_t from = begin * kUnit;
        const std::int64_t to = std::min(end * kUnit, by_rows ? c.rows : c.columns);
        MatrixRef<const T> l = left;
        MatrixRef<const T> r = right;
        if (by_rows) {
            l.data += from * (la.transpose == CblasNoTrans ? la.dimension : 1);
            blas_gemm(alpha, l, la, r, lb, beta, c.data + from * ldc, ldc, to - from, c.columns);
        } else {
            r.data += from * (lb.transpose == CblasNoTrans ? 1 : lb.dimension);
            blas_gemm(alpha, l, la, r, lb, beta, c.data + from, ldc, c.rows, to - from);
        }
    });
}

// For types that BLAS lacks: rows of c in an accumulator.
template <typename T>
void plain_gemm(T alpha, const MatrixRef<const T>& a, const MatrixRef<const T>& b, T beta, const MatrixRef<T>& c) {
    using Sum = std::conditional_t<std::is_integral_v<T>, std::uint64_t, float>;
    const std::int64_t grain = std::max<std::int64_t>(1, 32768 / std::max<std::int64_t>(1, a.columns * c.columns));
    parallel_for(0, c.rows, grain, [&](std::int64_t begin, std::int64_t end) {
        std::vector<Sum> row(static_cast<std::size_t>(c.columns));
        for (std::int64_t i = begin; i < end; ++i) {
            std::fill(row.begin(), row.end(), Sum(0));
            for (std::int64_t k = 0; k < a.columns; ++k) {
                const Sum x = static_cast<Sum>(a.data[i * a.row_stride + k * a.column_stride]);
                const T* y = b.data + k * b.row_stride;
                for (std::int64_t j = 0; j < c.columns; ++j) {
                    row[static_cast<std::size_t>(j)] += x * static_cast<Sum>(y[j * b.column_stride]);
                }
            }
            for (std::int64_t j = 0; j < c.columns; ++j) {
                T& out = c.data[i * c.row_stride + j * c.column_stride];
                Sum value = static_cast<Sum>(alpha) * row[static_cast<std::size_t>(j)];
                if (beta != T(0)) value += static_cast<Sum>(beta) * static_cast<Sum>(out);
                out = static_cast<T>(value);
            }
        }
    });
}

}  // namespace

void set_float_gemm(FloatGemm function) { float_gemm = function; }

template <typename T>
void gemm(T alpha, MatrixRef<const T> a, MatrixRef<const T> b, T beta, MatrixRef<T> c) {
    if (c.rows == 0 || c.columns == 0) return;
    if (a.columns == 0) return scale(beta, c);
    if constexpr (kHasBlas<T>) {
        const bool rows_dense = (c.column_stride == 1 || c.columns <= 1) && (c.rows <= 1 || c.row_stride >= c.columns);
        if (rows_dense) return threaded_gemm(alpha, a, b, beta, c);
        const bool columns_dense = (c.row_stride == 1 || c.rows <= 1) && (c.columns <= 1 || c.column_stride >= c.rows);
        if (columns_dense) return threaded_gemm(alpha, b.transposed(), a.transposed(), beta, c.transposed());
        std::vector<T> buffer =
            packed_copy(MatrixRef<const T>{c.data, c.rows, c.columns, c.row_stride, c.column_stride});
        threaded_gemm(alpha, a, b, beta, dense_matrix(buffer.data(), c.rows, c.columns));
        for (std::int64_t i = 0; i < c.rows; ++i) {
            for (std::int64_t j = 0; j < c.columns; ++j) {
                c.data[i * c.row_stride + j * c.column_stride] = buffer[static_cast<std::size_t>(i * c.columns + j)];
            }
        }
    } else {
        plain_gemm(alpha, a, b, beta, c);
    }
}

template <typename T>
void batched_gemm(std::int64_t count, T alpha, MatrixBatch<const T> a, MatrixBatch<const T> b, T beta,
                  MatrixBatch<T> c) {
    // Matrices side by side when there are enough; else the threads share each.
    if (count < thread_count()) {
        for (std::int64_t i = 0; i < count; ++i) gemm(alpha, a[i], b[i], beta, c[i]);
        return;
    }
    const std::int64_t work = std::max<std::int64_t>(1, c.first.rows * c.first.columns * a.first.columns);
    parallel_for(0, count, std::max<std::int64_t>(1, (1 << 16) / work), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) gemm(alpha, a[i], b[i], beta, c[i]);
    });
}

#define LOUPE_INSTANTIATE_GEMM(T)                                                      \
    template void gemm<T>(T, MatrixRef<const T>, MatrixRef<const T>, T, MatrixRef<T>); \
    template void batched_gemm<T>(std::int64_t, T, MatrixBatch<const T>, MatrixBatch<const T>, T, MatrixBatch<T>);
LOUPE_INSTANTIATE_GEMM(float)
LOUPE_INSTANTIATE_GEMM(double)
LOUPE_INSTANTIATE_GEMM(std::complex<float>)
LOUPE_INSTANTIATE_GEMM(std::complex<double>)
LOUPE_INSTANTIATE_GEMM(Half)
LOUPE_INSTANTIATE_GEMM(BFloat16)
LOUPE_INSTANTIATE_GEMM(std::uint8_t)
LOUPE_INSTANTIATE_GEMM(std::int8_t)
LOUPE_INSTANTIATE_GEMM(std::int16_t)
LOUPE_INSTANTIATE_GEMM(std::int32_t)
LOUPE_INSTANTIATE_GEMM(std::int64_t)
#undef LOUPE_INSTANTIATE_GEMM

}  // namespace loupe
