// SPDX-License-Identifier: Apache-2.0
#pragma once
// A tile of a product, by a block of threads: strips of both factors go through the block's memory, and each thread
// adds up a few elements of the tile. Includes nothing of the engine.

#include "plugins/cuda/loops/tile.h"

namespace loupe::cuda {

template <typename R>
struct ComplexNumber {
    R re, im;

    LOUPE_HD ComplexNumber& operator+=(const ComplexNumber& b) {
        re += b.re;
        im += b.im;
        return *this;
    }
    LOUPE_HD friend ComplexNumber operator*(const ComplexNumber& a, const ComplexNumber& b) {
        return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
    }
};
template <typename S>
inline constexpr bool kIsComplexNumber = false;
template <typename R>
inline constexpr bool kIsComplexNumber<ComplexNumber<R>> = true;

// What products of elements S are added up in: whole numbers modulo 2^32 or 2^64, of which their own are a part.
template <typename S>
struct SumOf {
    using Type = std::conditional_t<sizeof(S) == 8, std::uint64_t, std::uint32_t>;
};
template <>
struct SumOf<float> {
    using Type = float;
};
template <>
struct SumOf<double> {
    using Type = double;
};
template <>
struct SumOf<Half> {
    using Type = float;
};
template <>
struct SumOf<Brain> {
    using Type = float;
};
template <typename R>
struct SumOf<ComplexNumber<R>> {
    using Type = ComplexNumber<R>;
};
template <typename S>
using Sum = typename SumOf<S>::Type;

template <typename T>
LOUPE_HD T nothing() {
    if constexpr (kIsComplexNumber<T>)
        return {0, 0};
    else
        return T(0);
}
template <typename S>
LOUPE_HD Sum<S> widened(S x) {
    return static_cast<Sum<S>>(x);
}
template <typename S>
LOUPE_HD S narrowed(Sum<S> sum) {
    if constexpr (kIsComplexNumber<S>)
        return sum;
    else
        return stored<S>(sum);
}

// sum += a b, rounded once: what a GPU does with or without being told.
template <typename T>
LOUPE_HD void add_product(T& sum, T a, T b) {
    if constexpr (kIsComplexNumber<T>) {
        sum.re = std::fma(-a.im, b.im, std::fma(a.re, b.re, sum.re));
        sum.im = std::fma(a.im, b.re, std::fma(a.re, b.im, sum.im));
    } else if constexpr (std::is_integral_v<T>) {
        sum += a * b;
    } else {
        sum = std::fma(a, b, sum);
    }
}

inline constexpr int kProductSide = 64;   // rows and columns of a tile
inline constexpr int kProductDepth = 16;  // of a strip

// Which elements of the tile a thread of a team adds up: a square of kOwn by kOwn.
template <typename Team>
struct OwnSquare {
    static constexpr int kOwn = Team::kOwn;
};
template <>
struct OwnSquare<TileTeam> {
#ifdef __CUDA_ARCH__
    static constexpr int kOwn = 4;  // of 16 by 16 threads
#else
    static constexpr int kOwn = kProductSide;
#endif
};

// Left: at(batch, row, k), Right: at(batch, k, column), both of Sum<S>; Put: of(batch, row, column, sum).
template <typename S, typename Left, typename Right, typename Put>
struct ProductTile {
    Left left;
    Right right;
    Put put;
    std::int64_t rows, columns, depth;
    std::int64_t row_tiles, column_tiles;

    using T = Sum<S>;
    static constexpr int kLeading = kProductSide + 4;
    static constexpr std::size_t kBytes = 2 * sizeof(T) * kProductDepth * kLeading;

    static ProductTile of(const Left& left, const Right& right, const Put& put, std::int64_t rows, std::int64_t columns,
                          std::int64_t depth) {
        constexpr std::int64_t kSide = kProductSide;
        return {left, right, put, rows, columns, depth, (rows + kSide - 1) / kSide, (columns + kSide - 1) / kSide};
    }
    std::int64_t tiles() const { return row_tiles * column_tiles; }

    template <typename Team>
    LOUPE_HD void operator()(const Team& team, std::int64_t index) const {
        constexpr int kOwn = OwnSquare<Team>::kOwn, kAcross = kProductSide / kOwn;
        const std::int64_t rest = quotient(index, column_tiles), batch = quotient(rest, row_tiles);
        const std::int64_t first_row = (rest - batch * row_tiles) * kProductSide;
        const std::int64_t first_column = (index - rest * column_tiles) * kProductSide;
        T* const of_left = reinterpret_cast<T*>(team.memory);
        T* const of_right = of_left + kProductDepth * kLeading;
        const int own_row = team.rank() / kAcross * kOwn, own_column = team.rank() % kAcross * kOwn;
        T sum[kOwn][kOwn];
        LOUPE_UNROLL
        for (int i = 0; i < kOwn; ++i) {
            LOUPE_UNROLL
            for (int j = 0; j < kOwn; ++j) sum[i][j] = nothing<T>();
        }
        for (std::int64_t first = 0; first < depth; first += kProductDepth) {
            team.wait();
            for (int e = team.rank(); e < kProductSide * kProductDepth; e += team.size()) {
                // Neighbours along the depth on the left, along the columns on the right.
                const int row = e / kProductDepth, k = e % kProductDepth;
                const bool is_there = first_row + row < rows && first + k < depth;
                of_left[k * kLeading + row] = is_there ? left.at(batch, first_row + row, first + k) : nothing<T>();
                const int deep = e / kProductSide, column = e % kProductSide;
                const bool has_right = first + deep < depth && first_column + column < columns;
                of_right[deep * kLeading + column] =
                    has_right ? right.at(batch, first + deep, first_column + column) : nothing<T>();
            }
            team.wait();
            for (int k = 0; k < kProductDepth; ++k) {
                T a[kOwn], b[kOwn];
                LOUPE_UNROLL
                for (int i = 0; i < kOwn; ++i) {
                    a[i] = of_left[k * kLeading + own_row + i];
                    b[i] = of_right[k * kLeading + own_column + i];
                }
                LOUPE_UNROLL
                for (int i = 0; i < kOwn; ++i) {
                    LOUPE_UNROLL
                    for (int j = 0; j < kOwn; ++j) add_product(sum[i][j], a[i], b[j]);
                }
            }
        }
        LOUPE_UNROLL
        for (int i = 0; i < kOwn; ++i) {
            LOUPE_UNROLL
            for (int j = 0; j < kOwn; ++j) {
                const std::int64_t row = first_row + own_row + i, column = first_column + own_column + j;
                if (row < rows && column < columns) put.of(batch, row, column, sum[i][j]);
            }
        }
    }
};

template <typename S>
struct StridedFactor {
    const S* data;
    std::int64_t batch, row, column;
    LOUPE_HD Sum<S> at(std::int64_t b, std::int64_t i, std::int64_t j) const {
        return widened(data[b * batch + i * row + j * column]);
    }
};

}  // namespace loupe::cuda
