// SPDX-License-Identifier: Apache-2.0
#pragma once
// Complex arithmetic as PyTorch does it: products without the C standard's recovery of infinities, quotients scaled
// by the greater part of the divisor (Smith 1962).

#include <cmath>
#include <complex>

#include "core/kernels/integer_math.h"

namespace loupe {

template <typename T>
inline constexpr bool kIsComplexElement = false;
template <typename T>
inline constexpr bool kIsComplexElement<std::complex<T>> = true;

// Integers wrap around.
template <typename T>
T plus(T a, T b) {
    if constexpr (std::is_integral_v<T>)
        return static_cast<T>(wrapping_sum(a, b));
    else
        return static_cast<T>(a + b);
}

template <typename T>
T multiply(T a, T b) {
    if constexpr (kIsComplexElement<T>) {
        return T(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
    } else if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(wrapping_product(a, b));
    } else {
        return static_cast<T>(a * b);
    }
}

template <typename T>
T divide(T a, T b) {
    if constexpr (kIsComplexElement<T>) {
        using Real = typename T::value_type;
        const Real c = b.real();
        const Real d = b.imag();
        if (std::abs(c) >= std::abs(d)) {
            if (c == 0 && d == 0) return T(a.real() / std::abs(c), a.imag() / std::abs(d));
            const Real ratio = d / c;
            const Real scale = Real(1) / (c + d * ratio);
            return T((a.real() + a.imag() * ratio) * scale, (a.imag() - a.real() * ratio) * scale);
        }
        const Real ratio = c / d;
        const Real scale = Real(1) / (c * ratio + d);
        return T((a.real() * ratio + a.imag()) * scale, (a.imag() * ratio - a.real()) * scale);
    } else {
        return a / b;
    }
}

}  // namespace loupe
