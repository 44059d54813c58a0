// SPDX-License-Identifier: Apache-2.0
#pragma once
// The basic matrix product. float, double and complex go to CBLAS, split over the kernels' threads.

#include <cstdint>

#include "core/tensor/tensor.h"

namespace loupe {

// A matrix in memory: element (i, j) at data[i * row_stride + j * column_stride].
template <typename T>
struct MatrixRef {
    T* data;
    std::int64_t rows;
    std::int64_t columns;
    std::int64_t row_stride;
    std::int64_t column_stride;

    MatrixRef transposed() const { return {data, columns, rows, column_stride, row_stride}; }
};

template <typename T>
MatrixRef<T> dense_matrix(T* data, std::int64_t rows, std::int64_t columns) {
    return {data, rows, columns, columns, 1};
}
template <typename T>
MatrixRef<T> matrix_of(const Tensor& t) {
    return {t.data<T>(), t.sizes()[0], t.sizes()[1], t.strides()[0], t.strides()[1]};
}

// c = alpha a b + beta c. beta 0: c is not read. Any strides; those that BLAS cannot take are copied first.
// Instantiated for every dtype but bool; the small integers wrap, the 16-bit floats accumulate in float32.
template <typename T>
void gemm(T alpha, MatrixRef<const T> a, MatrixRef<const T> b, T beta, MatrixRef<T> c);
// c[i] = alpha a[i] b[i] + beta c[i], the i-th matrix `stride` elements after the one before.
template <typename T>
struct MatrixBatch {
    MatrixRef<T> first;
    std::int64_t stride;

    MatrixRef<T> operator[](std::int64_t i) const {
        MatrixRef<T> m = first;
        m.data += i * stride;
        return m;
    }
};
template <typename T>
void batched_gemm(std::int64_t count, T alpha, MatrixBatch<const T> a, MatrixBatch<const T> b, T beta,
                  MatrixBatch<T> c);

// A plugin's float product, which replaces CBLAS in gemm<float>: c = alpha op(a) op(b) + beta c, row
// major, ld* the leading dimensions. Set at start, before the first computation.
using FloatGemm = void (*)(bool transpose_a, bool transpose_b, std::int64_t m, std::int64_t n, std::int64_t k,
                           float alpha, const float* a, std::int64_t lda, const float* b, std::int64_t ldb, float beta,
                           float* c, std::int64_t ldc);
void set_float_gemm(FloatGemm function);

}  // namespace loupe
