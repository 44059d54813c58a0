// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rows of a few elements become columns, in registers.

#include <array>
#include <cstring>

namespace loupe {

template <typename T, std::size_t kSide>
struct RowOf {
    typedef T Vector __attribute__((vector_size(kSide * sizeof(T))));
};
template <typename T, std::size_t kSide>
using Tile = std::array<typename RowOf<T, kSide>::Vector, kSide>;

// Swaps rows[i][k] and rows[k][i], of 4 or 8 rows of as many elements.
template <typename Vector>
__attribute__((always_inline)) inline void transpose_tile(std::array<Vector, 4>& rows) {
    const Vector a = __builtin_shufflevector(rows[0], rows[1], 0, 4, 1, 5);
    const Vector b = __builtin_shufflevector(rows[0], rows[1], 2, 6, 3, 7);
    const Vector c = __builtin_shufflevector(rows[2], rows[3], 0, 4, 1, 5);
    const Vector d = __builtin_shufflevector(rows[2], rows[3], 2, 6, 3, 7);
    rows[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    rows[1] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    rows[2] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    rows[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}
template <typename Vector>
__attribute__((always_inline)) inline void transpose_tile(std::array<Vector, 8>& rows) {
    // Within halves of registers, which is cheap, then halves between registers.
    std::array<Vector, 8> pairs, fours;
    for (std::size_t i = 0; i < 8; i += 2) {
        pairs[i] = __builtin_shufflevector(rows[i], rows[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        pairs[i + 1] = __builtin_shufflevector(rows[i], rows[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    for (std::size_t i = 0; i < 8; i += 4) {
        fours[i] = __builtin_shufflevector(pairs[i], pairs[i + 2], 0, 1, 8, 9, 4, 5, 12, 13);
        fours[i + 1] = __builtin_shufflevector(pairs[i], pairs[i + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        fours[i + 2] = __builtin_shufflevector(pairs[i + 1], pairs[i + 3], 0, 1, 8, 9, 4, 5, 12, 13);
        fours[i + 3] = __builtin_shufflevector(pairs[i + 1], pairs[i + 3], 2, 3, 10, 11, 6, 7, 14, 15);
    }
    for (std::size_t i = 0; i < 4; ++i) {
        rows[i] = __builtin_shufflevector(fours[i], fours[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        rows[i + 4] = __builtin_shufflevector(fours[i], fours[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}

}  // namespace loupe
