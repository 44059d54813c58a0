// SPDX-License-Identifier: Apache-2.0
// A team a column. Each thread reads again only what it has written itself: the elements whose places are its rank's.
#include "plugins/cuda/loops/triangular.h"

#include "plugins/cuda/loops/product_tile.h"

namespace loupe::cuda {
namespace {

template <typename T>
LOUPE_HD T difference(T a, T b) {
    if constexpr (kIsComplex<T>)
        return {a.re - b.re, a.im - b.im};
    else
        return a - b;
}
template <typename T>
LOUPE_HD T quotient_of(T a, T b) {
    if constexpr (kIsComplex<T>) {
        // Smith 1962: without squares that leave the range.
        using R = decltype(T::re);
        if (std::abs(b.re) >= std::abs(b.im)) {
            const R ratio = b.im / b.re, whole = b.re + b.im * ratio;
            return {(a.re + a.im * ratio) / whole, (a.im - a.re * ratio) / whole};
        }
        const R ratio = b.re / b.im, whole = b.re * ratio + b.im;
        return {(a.re * ratio + a.im) / whole, (a.im * ratio - a.re) / whole};
    } else {
        return a / b;
    }
}

template <typename T>
struct TriangularBody {
    TriangularShape s;

    LOUPE_HD T element(std::int64_t batch, std::int64_t i, std::int64_t k) const {
        T value = static_cast<const T*>(s.a.data)[batch * s.a.batch + i * s.a.row + k * s.a.column];
        if constexpr (kIsComplex<T>) {
            if (s.conjugates) value.im = -value.im;
        }
        return value;
    }
    template <typename Team>
    LOUPE_HD void operator()(const Team& team, std::int64_t index) const {
        const std::int64_t batch = quotient(index, s.columns), column = index - batch * s.columns;
        T* const x = static_cast<T*>(const_cast<void*>(s.x.data)) + batch * s.x.batch + column * s.x.column;
        for (std::int64_t step = 0; step < s.n; ++step) {
            const std::int64_t i = s.upper ? s.n - 1 - step : step;
            const T right = x[i * s.x.row];
            T sum = nothing<T>();
            // Those that are solved.
            for (std::int64_t done = team.rank(); done < step; done += team.size()) {
                const std::int64_t k = s.upper ? s.n - 1 - done : done;
                add_product(sum, element(batch, i, k), x[k * s.x.row]);
            }
            if constexpr (kIsComplex<T>)
                sum = {team.sum(sum.re), team.sum(sum.im)};
            else
                sum = team.sum(sum);
            T value = difference(right, sum);
            if (!s.unit) value = quotient_of(value, element(batch, i, i));
            if (step % team.size() == team.rank()) x[i * s.x.row] = value;
        }
    }
};

template <typename T>
void solve_as(const Queue& queue, const TriangularShape& s) {
    launch_teams(queue, s.batch * s.columns, s.n, TriangularBody<T>{s});
}

}  // namespace

void run_triangular(const Queue& queue, const TriangularShape& s) {
    switch (s.factor) {
        case Factor::Float64:
            return solve_as<double>(queue, s);
        case Factor::Complex64:
            return solve_as<ComplexNumber<float>>(queue, s);
        case Factor::Complex128:
            return solve_as<ComplexNumber<double>>(queue, s);
        default:
            return solve_as<float>(queue, s);
    }
}

}  // namespace loupe::cuda
