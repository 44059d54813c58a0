// SPDX-License-Identifier: Apache-2.0
#pragma once
// The matrix product for a few rows on one thread, without packing: what a step of a recurrent network needs.

#include <cstdint>

namespace loupe {

// c [m, n] = a [m, k] b [k, n], or += with accumulate; rows are contiguous, ld* apart. float and double.
template <typename T>
void small_gemm(std::int64_t m, std::int64_t n, std::int64_t k, const T* a, std::int64_t lda, const T* b,
                std::int64_t ldb, T* c, std::int64_t ldc, bool accumulate);
// The same with elements of a anywhere: element (i, p) at a[i * a_row + p * a_column].
template <typename T>
void small_gemm(std::int64_t m, std::int64_t n, std::int64_t k, const T* a, std::int64_t a_row, std::int64_t a_column,
                const T* b, std::int64_t ldb, T* c, std::int64_t ldc, bool accumulate);

}  // namespace loupe
