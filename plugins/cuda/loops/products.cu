// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/loops/products.h"

#include "plugins/cuda/loops/product_tile.h"

namespace loupe::cuda {
namespace {

template <typename S>
Sum<S> number_of(const Scale& scale) {
    if constexpr (kIsComplexNumber<S>) {
        using R = decltype(S::re);
        return {static_cast<R>(scale.real), static_cast<R>(scale.imaginary)};
    } else if constexpr (std::is_integral_v<Sum<S>>) {
        return static_cast<Sum<S>>(scale.whole);
    } else {
        return static_cast<Sum<S>>(scale.real);
    }
}

// A factor whose depth goes on in the next matrix of a batch that is added up.
template <typename S, bool kLeft>
struct BatchFactor {
    StridedFactor<S> factor;
    std::int64_t depth;
    bool sums, conjugates;
    LOUPE_HD Sum<S> at(std::int64_t b, std::int64_t i, std::int64_t j) const {
        if (sums) {
            std::int64_t& k = kLeft ? j : i;
            b = quotient(k, depth);
            k -= b * depth;
        }
        Sum<S> x = factor.at(b, i, j);
        if constexpr (kIsComplexNumber<S>) {
            if (conjugates) x.im = -x.im;
        }
        return x;
    }
};

template <typename S>
struct ScaledResult {
    S* out;
    const S* added;
    std::int64_t batch, row, column, added_batch, added_row, added_column;
    Sum<S> alpha, beta;
    LOUPE_HD void of(std::int64_t b, std::int64_t i, std::int64_t j, Sum<S> sum) const {
        sum = alpha * sum;
        if (added != nullptr) sum += beta * widened(added[b * added_batch + i * added_row + j * added_column]);
        out[b * batch + i * row + j * column] = narrowed<S>(sum);
    }
};

// One column: a team an element.
template <typename S>
struct ColumnBody {
    BatchFactor<S, true> left;
    BatchFactor<S, false> right;
    ScaledResult<S> put;
    std::int64_t rows, depth;
    template <typename Team>
    LOUPE_HD void operator()(const Team& team, std::int64_t index) const {
        const std::int64_t b = quotient(index, rows), i = index - b * rows;
        Sum<S> sum = nothing<Sum<S>>();
        for (std::int64_t k = team.rank(); k < depth; k += team.size())
            add_product(sum, left.at(b, i, k), right.at(b, k, 0));
        if constexpr (kIsComplexNumber<S>)
            sum = {team.sum(sum.re), team.sum(sum.im)};
        else
            sum = team.sum(sum);
        if (team.rank() == 0) put.of(b, i, 0, sum);
    }
};

template <typename S>
void multiply_all(const Queue& queue, const ProductShape& s) {
    const auto factor = [](const Matrices& m) {
        return StridedFactor<S>{static_cast<const S*>(m.data), m.batch, m.row, m.column};
    };
    const BatchFactor<S, true> left{factor(s.left), s.depth, s.sums, s.conjugates};
    const BatchFactor<S, false> right{factor(s.right), s.depth, s.sums, false};
    const ScaledResult<S> put{static_cast<S*>(const_cast<void*>(s.out.data)),
                              static_cast<const S*>(s.added.data),
                              s.out.batch,
                              s.out.row,
                              s.out.column,
                              s.added.batch,
                              s.added.row,
                              s.added.column,
                              number_of<S>(s.alpha),
                              number_of<S>(s.beta)};
    const std::int64_t batch = s.sums ? 1 : s.batch, depth = s.sums ? s.batch * s.depth : s.depth;
    if (s.columns == 1)
        return launch_teams(queue, batch * s.rows, depth, ColumnBody<S>{left, right, put, s.rows, depth});
    using Tile = ProductTile<S, BatchFactor<S, true>, BatchFactor<S, false>, ScaledResult<S>>;
    const Tile tile = Tile::of(left, right, put, s.rows, s.columns, depth);
    launch_tiles(queue, batch * tile.tiles(), Tile::kBytes, tile);
}

}  // namespace

void run_product(const Queue& queue, const ProductShape& shape) {
    switch (shape.factor) {
        case Factor::UInt8:
            return multiply_all<std::uint8_t>(queue, shape);
        case Factor::Int8:
            return multiply_all<std::int8_t>(queue, shape);
        case Factor::Int16:
            return multiply_all<std::int16_t>(queue, shape);
        case Factor::Int32:
            return multiply_all<std::int32_t>(queue, shape);
        case Factor::Int64:
            return multiply_all<std::int64_t>(queue, shape);
        case Factor::Float16:
            return multiply_all<Half>(queue, shape);
        case Factor::Float32:
            return multiply_all<float>(queue, shape);
        case Factor::Float64:
            return multiply_all<double>(queue, shape);
        case Factor::BFloat16:
            return multiply_all<Brain>(queue, shape);
        case Factor::Complex64:
            return multiply_all<ComplexNumber<float>>(queue, shape);
        case Factor::Complex128:
            return multiply_all<ComplexNumber<double>>(queue, shape);
    }
}

}  // namespace loupe::cuda
