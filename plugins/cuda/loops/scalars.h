// SPDX-License-Identifier: Apache-2.0
#pragma once
// Numbers of matrices, real or complex: what factorisations compute with. Includes nothing of the engine.

#include "plugins/cuda/loops/product_tile.h"
#include "plugins/cuda/loops/products.h"

namespace loupe::cuda {

template <typename T>
struct RealPart {
    using Type = T;
};
template <typename R>
struct RealPart<ComplexNumber<R>> {
    using Type = R;
};
template <typename T>
using Real = typename RealPart<T>::Type;

template <typename T>
LOUPE_HD Real<T> real_of(const T& x) {
    if constexpr (kIsComplexNumber<T>)
        return x.re;
    else
        return x;
}
template <typename T>
LOUPE_HD Real<T> imaginary_of(const T& x) {
    if constexpr (kIsComplexNumber<T>)
        return x.im;
    else
        return 0;
}
template <typename T>
LOUPE_HD T made_of(Real<T> re, Real<T> im = 0) {
    if constexpr (kIsComplexNumber<T>)
        return {re, im};
    else
        return re;
}
template <typename T>
LOUPE_HD T conjugate(const T& x) {
    return made_of<T>(real_of(x), -imaginary_of(x));
}
template <typename T>
LOUPE_HD T difference(const T& a, const T& b) {
    return made_of<T>(real_of(a) - real_of(b), imaginary_of(a) - imaginary_of(b));
}
template <typename T>
LOUPE_HD T scaled(const T& x, Real<T> factor) {
    return made_of<T>(real_of(x) * factor, imaginary_of(x) * factor);
}
template <typename T>
LOUPE_HD T quotient_of(const T& a, const T& b) {
    if constexpr (kIsComplexNumber<T>) {
        // Smith 1962: without squares that leave the range.
        using R = Real<T>;
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
template <typename Team, typename T>
LOUPE_HD T sum_of_team(const Team& team, const T& x) {
    if constexpr (kIsComplexNumber<T>)
        return {team.sum(x.re), team.sum(x.im)};
    else
        return team.sum(x);
}

template <typename Visit>
void visit_scalar(Factor factor, const Visit& visit) {
    switch (factor) {
        case Factor::Float64:
            return visit(double());
        case Factor::Complex64:
            return visit(ComplexNumber<float>());
        case Factor::Complex128:
            return visit(ComplexNumber<double>());
        default:
            return visit(float());
    }
}

// A matrix of a batch; strides in elements.
template <typename T>
struct MatrixPlace {
    T* data;
    std::int64_t row, column;
    LOUPE_HD T& at(std::int64_t i, std::int64_t j) const { return data[i * row + j * column]; }
};
template <typename T>
LOUPE_HD MatrixPlace<T> place_of(const Matrices& m, std::int64_t batch) {
    return {static_cast<T*>(const_cast<void*>(m.data)) + batch * m.batch, m.row, m.column};
}

}  // namespace loupe::cuda
