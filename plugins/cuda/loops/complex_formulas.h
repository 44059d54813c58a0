// SPDX-License-Identifier: Apache-2.0
#pragma once
// Functions of complex numbers, with the C standard's results at infinities, NaN and branch cuts (Annex G), as the
// CPU's kernels have them; products and quotients as PyTorch's. Includes nothing of the engine.

#include "plugins/cuda/loops/formula.h"

namespace loupe::cuda::complex {

template <typename R>
inline constexpr R kInf = std::numeric_limits<R>::infinity();
template <typename R>
inline constexpr R kNaN = std::numeric_limits<R>::quiet_NaN();
inline constexpr double kPi = 3.14159265358979323846;

// ---- arithmetic

template <typename R>
LOUPE_HD Complex<R> operator+(Complex<R> a, Complex<R> b) {
    return {a.re + b.re, a.im + b.im};
}
template <typename R>
LOUPE_HD Complex<R> operator-(Complex<R> a, Complex<R> b) {
    return {a.re - b.re, a.im - b.im};
}
template <typename R>
LOUPE_HD Complex<R> operator-(Complex<R> a) {
    return {-a.re, -a.im};
}
// Without the C standard's recovery of infinities.
template <typename R>
LOUPE_HD Complex<R> operator*(Complex<R> a, Complex<R> b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
template <typename R>
LOUPE_HD Complex<R> operator*(Complex<R> a, R b) {
    return {a.re * b, a.im * b};
}
// Scaled by the greater part of the divisor (Smith 1962).
template <typename R>
LOUPE_HD Complex<R> operator/(Complex<R> a, Complex<R> b) {
    const R c = b.re, d = b.im;
    if (std::abs(c) >= std::abs(d)) {
        if (c == R(0) && d == R(0)) return {a.re / std::abs(c), a.im / std::abs(d)};
        const R ratio = d / c, scale = R(1) / (c + d * ratio);
        return {(a.re + a.im * ratio) * scale, (a.im - a.re * ratio) * scale};
    }
    const R ratio = c / d, scale = R(1) / (c * ratio + d);
    return {(a.re * ratio + a.im) * scale, (a.im * ratio - a.re) * scale};
}
template <typename R>
LOUPE_HD bool operator==(Complex<R> a, Complex<R> b) {
    return a.re == b.re && a.im == b.im;
}
template <typename R>
LOUPE_HD bool is_zero(Complex<R> z) {
    return z.re == R(0) && z.im == R(0);
}
template <typename R>
LOUPE_HD bool is_nan(Complex<R> z) {
    return z.re != z.re || z.im != z.im;
}
template <typename R>
LOUPE_HD bool is_finite(R x) {
    return x - x == R(0);
}
template <typename R>
LOUPE_HD R magnitude(Complex<R> z) {
    return std::hypot(z.re, z.im);
}
// i z and -i z
template <typename R>
LOUPE_HD Complex<R> turned(Complex<R> z) {
    return {-z.im, z.re};
}
template <typename R>
LOUPE_HD Complex<R> turned_back(Complex<R> z) {
    return {z.im, -z.re};
}

// ---- powers and logarithms

template <typename R>
LOUPE_HD Complex<R> exp(Complex<R> z) {
    const R x = z.re, y = z.im;
    if (y == R(0)) return {std::exp(x), y};
    if (std::isinf(x) && !is_finite(y)) {
        if (x < R(0)) return {R(0), std::copysign(R(0), y)};
        return {x, kNaN<R>};
    }
    // In two factors, so that the first does not overflow where the product does not.
    const R half = std::exp(x / 2), cosine = std::cos(y), sine = std::sin(y);
    if (x > R(80)) return {half * cosine * half, half * sine * half};
    const R size = std::exp(x);
    return {size * cosine, size * sine};
}
template <typename R>
LOUPE_HD Complex<R> log(Complex<R> z) {
    const R x = std::abs(z.re), y = std::abs(z.im), angle = std::atan2(z.im, z.re);
    const R most = x > y ? x : y, least = x > y ? y : x;
    // Near the unit circle from |z|^2 - 1.
    if (most > R(0.7) && most < R(1.5) && least < R(1))
        return {std::log1p((most - R(1)) * (most + R(1)) + least * least) / 2, angle};
    if (is_finite(x) && is_finite(y) && most > std::numeric_limits<R>::max() / 4)
        return {std::log(std::hypot(x / 4, y / 4)) + R(1.38629436111989061883), angle};
    return {std::log(std::hypot(x, y)), angle};
}
template <typename R>
LOUPE_HD Complex<R> sqrt(Complex<R> z) {
    const R x = z.re, y = z.im;
    if (x == R(0) && y == R(0)) return {R(0), y};
    if (std::isinf(y)) return {kInf<R>, y};
    if (std::isinf(x)) {
        if (x > R(0)) return {x, y != y ? y : std::copysign(R(0), y)};
        return {y != y ? y : R(0), std::copysign(kInf<R>, y)};
    }
    if (x != x || y != y) return {kNaN<R>, kNaN<R>};
    // Scaled by a power of four where the magnitude overflows or loses digits.
    const R most = std::abs(x) > std::abs(y) ? std::abs(x) : std::abs(y);
    R up = 1, down = 1;
    if (most > std::numeric_limits<R>::max() / 8) {
        up = R(1) / 16;
        down = 4;
    } else if (most < std::numeric_limits<R>::min() * R(16)) {
        up = R(281474976710656);  // 2^48
        down = R(1) / R(16777216);
    }
    const R a = x * up, b = y * up, root = std::sqrt((std::abs(a) + std::hypot(a, b)) / 2);
    const R other = std::abs(b) / (2 * root);
    if (x >= R(0)) return {root * down, std::copysign(other * down, y)};
    return {other * down, std::copysign(root * down, y)};
}
template <typename R>
LOUPE_HD Complex<R> expm1(Complex<R> z) {
    const R half = std::sin(z.im / 2);
    return {std::expm1(z.re) * std::cos(z.im) - 2 * half * half, std::exp(z.re) * std::sin(z.im)};
}
template <typename R>
LOUPE_HD Complex<R> log1p(Complex<R> z) {
    const R x = z.re, y = z.im, angle = std::atan2(y, x + 1);
    if (magnitude(z) >= R(0.5)) return {std::log(std::hypot(x + 1, y)), angle};
    const R more = x * (2 + x) + y * y;  // |1 + z|^2 - 1
    return {more == R(0) ? x : std::log1p(more) / 2, angle};
}
// exp(b ln(a)); of infinite factors as the C standard has it.
template <typename R>
LOUPE_HD R boxed_part(R x) {
    return std::copysign(std::isinf(x) ? R(1) : R(0), x);
}
template <typename R>
LOUPE_HD Complex<R> recovered_product(Complex<R> a, Complex<R> b) {
    const Complex<R> plain = a * b;
    if (plain.re == plain.re || plain.im == plain.im) return plain;
    const bool a_inf = std::isinf(a.re) || std::isinf(a.im), b_inf = std::isinf(b.re) || std::isinf(b.im);
    if (!a_inf && !b_inf) return plain;
    const auto without_nan = [](R x) { return x != x ? std::copysign(R(0), x) : x; };
    if (a_inf) a = {boxed_part(a.re), boxed_part(a.im)};
    if (b_inf) b = {boxed_part(b.re), boxed_part(b.im)};
    a = {without_nan(a.re), without_nan(a.im)};
    b = {without_nan(b.re), without_nan(b.im)};
    return (a * b) * kInf<R>;
}
template <typename R>
LOUPE_HD Complex<R> pow(Complex<R> a, Complex<R> b) {
    return exp(recovered_product(b, log(a)));
}
// ln(exp(a) + exp(b)), from the one with the greater real part; as PyTorch where they are not finite.
template <typename R>
LOUPE_HD Complex<R> log_add_exp(Complex<R> a, Complex<R> b) {
    if (is_nan(a) || is_nan(b)) return {kNaN<R>, kNaN<R>};
    const bool turns = !(a.re < b.re);
    const Complex<R> low = turns ? b : a, high = turns ? a : b;
    if (!is_finite(high.re) && high.re == low.re) return high.re < R(0) ? low : log(exp(low) + exp(high));
    // Of exp(-inf) the angle does not matter.
    const Complex<R> share = std::isinf(low.re - high.re) ? Complex<R>{R(0), R(0)} : exp(low - high);
    return high + log1p(share);
}

// ---- hyperbolic functions

template <typename R>
LOUPE_HD Complex<R> sinh(Complex<R> z) {
    const R x = z.re, y = z.im;
    if (y == R(0)) return {std::sinh(x), y};
    if (!is_finite(y)) {
        if (x == R(0)) return {x, kNaN<R>};
        return {std::isinf(x) ? kInf<R> : kNaN<R>, kNaN<R>};
    }
    if (std::abs(x) > R(80)) {
        const R half = std::exp(std::abs(x) / 2);
        return {std::copysign(half / 2, x) * std::cos(y) * half, half / 2 * std::sin(y) * half};
    }
    return {std::sinh(x) * std::cos(y), std::cosh(x) * std::sin(y)};
}
template <typename R>
LOUPE_HD Complex<R> cosh(Complex<R> z) {
    const R x = z.re, y = z.im;
    if (y == R(0)) return {std::cosh(x), y * std::copysign(R(1), x)};
    if (!is_finite(y)) {
        if (x == R(0)) return {kNaN<R>, x};
        return {std::isinf(x) ? kInf<R> : kNaN<R>, kNaN<R>};
    }
    if (x == R(0)) return {std::cos(y), x * std::sin(y)};
    if (std::abs(x) > R(80)) {
        const R half = std::exp(std::abs(x) / 2);
        return {half / 2 * std::cos(y) * half, std::copysign(half / 2, x) * std::sin(y) * half};
    }
    return {std::cosh(x) * std::cos(y), std::sinh(x) * std::sin(y)};
}
template <typename R>
LOUPE_HD Complex<R> tanh(Complex<R> z) {
    const R x = z.re, y = z.im;
    if (std::isinf(x)) return {std::copysign(R(1), x), std::copysign(R(0), is_finite(y) ? std::sin(2 * y) : y)};
    if (y == R(0)) return {std::tanh(x), y};
    if (!is_finite(y) || x != x) return {x == R(0) ? x : kNaN<R>, kNaN<R>};
    const R sine = std::sin(y), cosine = std::cos(y);
    if (std::abs(x) > R(40)) return {std::copysign(R(1), x), 4 * sine * cosine * std::exp(-2 * std::abs(x))};
    const R s = std::sinh(x);
    const bool is_apart = std::abs(s) > std::abs(cosine) * std::numeric_limits<R>::epsilon();
    const R size = is_apart ? s * s + cosine * cosine : cosine * cosine;
    return {s * std::cosh(x) / size, sine * cosine / size};
}
template <typename R>
LOUPE_HD Complex<R> sin(Complex<R> z) {
    if (!is_finite(z.re) && std::isinf(z.im)) return {kNaN<R>, kInf<R>};  // the sign is left open
    return turned_back(sinh(turned(z)));
}
template <typename R>
LOUPE_HD Complex<R> cos(Complex<R> z) {
    return cosh(turned(z));
}
template <typename R>
LOUPE_HD Complex<R> tan(Complex<R> z) {
    return turned_back(tanh(turned(z)));
}

// ---- their inverses, from square roots (Kahan 1987)

template <typename R>
LOUPE_HD bool is_large(Complex<R> z) {
    const R large = sizeof(R) == 4 ? R(1e15) : R(1e150);  // squares do not overflow below
    return std::abs(z.re) > large || std::abs(z.im) > large;
}
// ln(2 |z|) of a large number.
template <typename R>
LOUPE_HD R log_of_twice(Complex<R> z) {
    return std::log(std::hypot(z.re / 2, z.im / 2)) + R(1.38629436111989061883);
}
template <typename R>
LOUPE_HD Complex<R> asinh(Complex<R> z) {
    const R x = z.re, y = z.im;
    if (std::isinf(x)) {
        if (y != y) return {x, y};
        return {x, std::copysign(std::isinf(y) ? R(kPi / 4) : R(0), y)};
    }
    if (std::isinf(y)) return {std::copysign(kInf<R>, x), x != x ? x : std::copysign(R(kPi / 2), y)};
    if (x != x && y == R(0)) return z;
    if (is_nan(z)) return {kNaN<R>, kNaN<R>};
    if (is_large(z)) return {std::copysign(log_of_twice(z), x), std::atan2(y, std::abs(x))};
    const Complex<R> above = sqrt(Complex<R>{1 + y, -x}), below = sqrt(Complex<R>{1 - y, x});
    return {std::asinh(above.re * below.im - below.re * above.im),
            std::atan2(y, above.re * below.re - above.im * below.im)};
}
template <typename R>
LOUPE_HD Complex<R> acos(Complex<R> z) {
    const R x = z.re, y = z.im;
    if (std::isinf(x)) {
        if (y != y) return {y, std::copysign(kInf<R>, -y)};
        const R angle = std::isinf(y) ? (x < R(0) ? R(3 * kPi / 4) : R(kPi / 4)) : (x < R(0) ? R(kPi) : R(0));
        return {angle, std::copysign(kInf<R>, -y)};
    }
    if (std::isinf(y)) return {x != x ? x : R(kPi / 2), -y};
    if (x == R(0) && y != y) return {R(kPi / 2), y};
    if (is_nan(z)) return {kNaN<R>, kNaN<R>};
    if (is_large(z)) return {std::atan2(std::abs(y), x), std::copysign(log_of_twice(z), -y)};
    const Complex<R> below = sqrt(Complex<R>{1 - x, -y}), above = sqrt(Complex<R>{1 + x, y});
    return {2 * std::atan2(below.re, above.re), std::asinh(above.re * below.im - above.im * below.re)};
}
template <typename R>
LOUPE_HD Complex<R> acosh(Complex<R> z) {
    const Complex<R> w = acos(z);
    if (w.re != w.re) return {std::abs(w.im), w.re};
    return {std::abs(w.im), std::copysign(w.re, z.im)};
}
template <typename R>
LOUPE_HD Complex<R> atanh(Complex<R> z) {
    const R x = z.re, y = z.im;
    if (std::isinf(x) || std::isinf(y)) return {std::copysign(R(0), x), y != y ? y : std::copysign(R(kPi / 2), y)};
    if (x == R(0) && y != y) return z;
    if (is_nan(z)) return {kNaN<R>, kNaN<R>};
    const R size = std::abs(x), height = std::abs(y);
    if (is_large(z)) {
        const R h = std::hypot(x / 2, y / 2);
        return {x / 4 / h / h, std::copysign(R(kPi / 2), y)};
    }
    if (size == R(1) && height == R(0)) return {std::copysign(kInf<R>, x), y};
    const R real = std::log1p(4 * size / ((1 - size) * (1 - size) + height * height)) / 4;
    const R angle = std::atan2(2 * height, (1 - size) * (1 + size) - height * height) / 2;
    return {std::copysign(real, x), std::copysign(angle, y)};
}
template <typename R>
LOUPE_HD Complex<R> asin(Complex<R> z) {
    return turned_back(asinh(turned(z)));
}
template <typename R>
LOUPE_HD Complex<R> atan(Complex<R> z) {
    return turned_back(atanh(turned(z)));
}

// ---- others

template <typename R>
LOUPE_HD Complex<R> one() {
    return {R(1), R(0)};
}
template <typename R>
LOUPE_HD Complex<R> sign(Complex<R> z) {
    const R size = magnitude(z);
    if (size == R(0)) return {R(0), R(0)};
    return {z.re / size, z.im / size};
}
template <typename R>
LOUPE_HD Complex<R> sinc(Complex<R> z) {
    if (is_zero(z)) return one<R>();
    const Complex<R> scaled = z * Complex<R>{R(kPi), R(0)};
    return sin(scaled) / scaled;
}
template <typename R>
LOUPE_HD Complex<R> lerp(Complex<R> a, Complex<R> b, Complex<R> w) {
    if (magnitude(w) < R(0.5)) return a + w * (b - a);
    return b - (b - a) * (one<R>() - w);
}

}  // namespace loupe::cuda::complex
