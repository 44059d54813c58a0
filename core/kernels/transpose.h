// SPDX-License-Identifier: Apache-2.0
#pragma once
// Four rows of four elements become columns, in registers.

#include <array>
#include <cstring>

namespace loupe {

template <typename T>
struct FourOf {
    typedef T Vector __attribute__((vector_size(4 * sizeof(T))));
};
template <typename T>
using Four = typename FourOf<T>::Vector;

template <typename T>
using FourByFour = std::array<Four<T>, 4>;

// Swaps rows[i][k] and rows[k][i].
template <typename T>
__attribute__((always_inline)) inline void transpose_four(FourByFour<T>& rows) {
    const Four<T> a = __builtin_shufflevector(rows[0], rows[1], 0, 4, 1, 5);
    const Four<T> b = __builtin_shufflevector(rows[0], rows[1], 2, 6, 3, 7);
    const Four<T> c = __builtin_shufflevector(rows[2], rows[3], 0, 4, 1, 5);
    const Four<T> d = __builtin_shufflevector(rows[2], rows[3], 2, 6, 3, 7);
    rows[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    rows[1] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    rows[2] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    rows[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

}  // namespace loupe
