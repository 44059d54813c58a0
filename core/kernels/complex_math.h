// SPDX-License-Identifier: Apache-2.0
#pragma once
// Complex arithmetic as PyTorch does it: products without the C standard's recovery of infinities, quotients scaled
// by the greater part of the divisor (Smith 1962).

#include <cmath>
#include <complex>
#include <limits>
#include <utility>

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

// exp(x) - 1 and ln(1 + x), exact near 0.
template <typename Real>
std::complex<Real> expm1_of(std::complex<Real> x) {
    const Real half = std::sin(x.imag() / 2);
    return {std::expm1(x.real()) * std::cos(x.imag()) - 2 * half * half, std::exp(x.real()) * std::sin(x.imag())};
}
template <typename Real>
std::complex<Real> log1p_of(std::complex<Real> z) {
    const Real x = z.real();
    const Real y = z.imag();
    const Real angle = std::atan2(y, x + 1);
    if (std::abs(z) >= Real(0.5)) return {std::log(std::hypot(x + 1, y)), angle};
    // |1 + z|^2 - 1
    const Real more = x * (2 + x) + y * y;
    return {more == 0 ? x : std::log1p(more) / 2, angle};
}

// ln(exp(a) + exp(b)), from the one with the greater real part; as PyTorch where they are not finite.
template <typename Real>
std::complex<Real> log_add_exp(std::complex<Real> a, std::complex<Real> b) {
    const auto is_nan = [](std::complex<Real> z) { return std::isnan(z.real()) || std::isnan(z.imag()); };
    if (is_nan(a) || is_nan(b)) {
        constexpr Real kNan = std::numeric_limits<Real>::quiet_NaN();
        return {kNan, kNan};
    }
    const auto [low, high] = a.real() < b.real() ? std::pair(a, b) : std::pair(b, a);
    if (!std::isfinite(high.real()) && high.real() == low.real()) {
        if (high.real() < 0) return low;
        return std::log(std::exp(low) + std::exp(high));
    }
    // Of exp(-inf) the angle does not matter.
    const std::complex<Real> share = std::isinf(low.real() - high.real()) ? std::complex<Real>() : std::exp(low - high);
    return high + log1p_of(share);
}

}  // namespace loupe
