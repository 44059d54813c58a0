// SPDX-License-Identifier: Apache-2.0
#pragma once
// Orthogonal polynomials by their recurrences; Chebyshev's inside the interval by angles, as PyTorch. Includes nothing
// of the engine: kernels of devices are made of them too.

#include "core/ops/special/series.h"

namespace loupe::special {

// An element as a degree; numbers that are no 64-bit integers count as negative.
template <typename T>
LOUPE_HD std::int64_t degree_of(T n) {
    return std::abs(n) < T(9.2e18) ? static_cast<std::int64_t>(n) : std::numeric_limits<std::int64_t>::min();
}
template <typename T>
LOUPE_HD T sign_of_even(std::int64_t n) {
    return n % 2 == 0 ? T(1) : T(-1);
}

// Rounding leaves no digit long before; a file must not ask for 2^63.
inline constexpr std::int64_t kMostSteps = 1'000'000;

// P[n] from P[0] = 1, P[1] = first and next(k, P[k], P[k - 1]) = P[k + 1].
template <typename T, typename Next>
LOUPE_HD T recur(std::int64_t n, T first, Next&& next) {
    if (n < 0) return 0;
    if (n == 0) return 1;
    if (n > kMostSteps) return std::numeric_limits<T>::quiet_NaN();
    T before = 1, now = first;
    for (std::int64_t k = 1; k < n && now == now; ++k) {
        const T after = next(static_cast<T>(k), now, before);
        before = now;
        now = after;
    }
    return now;
}
// P[k + 1] = 2 x P[k] - P[k - 1]
template <typename T>
LOUPE_HD T chebyshev_recurrence(std::int64_t n, T x, T first) {
    return recur(n, first, [x](T, T now, T before) { return (x + x) * now - before; });
}

// The four kinds at an end of [-1, 1], inside by angles from degree `from` on, by recurrence elsewhere.
template <typename T>
LOUPE_HD T chebyshev_t(T x, std::int64_t n, T at_end, std::int64_t from) {
    if (n < 0) return 0;
    if (std::abs(at_end) == 1) return at_end > 0 ? T(1) : sign_of_even<T>(n);
    if (n >= from && std::abs(x) < 1) return std::cos(static_cast<T>(n) * std::acos(x));
    return chebyshev_recurrence(n, x, x);
}
template <typename T>
LOUPE_HD T chebyshev_u(T x, std::int64_t n, T at_end, std::int64_t from) {
    if (n < 0) return 0;
    const T degree = static_cast<T>(n) + T(1);
    if (std::abs(at_end) == 1) return at_end > 0 ? degree : sign_of_even<T>(n) * degree;
    if (n >= from && std::abs(x) < 1) {
        const T angle = std::acos(x);
        return std::sin(angle) != 0 ? std::sin(degree * angle) / std::sin(angle)
                                    : degree * std::cos(degree * angle) / x;
    }
    return chebyshev_recurrence(n, x, x + x);
}
template <typename T>
LOUPE_HD T chebyshev_v(T x, std::int64_t n, T at_end, std::int64_t from) {
    if (n < 0) return 0;
    const T odd = T(2) * static_cast<T>(n) + T(1);
    if (std::abs(at_end) == 1) return at_end > 0 ? T(1) : sign_of_even<T>(n) * odd;
    if (n >= from && std::abs(x) < 1) {
        const T angle = std::acos(x);
        if (std::sin(angle / T(2)) == 1) return sign_of_even<T>(n) * odd;
        return std::cos((static_cast<T>(n) + T(0.5)) * angle) / std::cos(angle / T(2));
    }
    return chebyshev_recurrence(n, x, x + x - 1);
}
template <typename T>
LOUPE_HD T chebyshev_w(T x, std::int64_t n, T at_end, std::int64_t from) {
    if (n < 0) return 0;
    const T odd = T(2) * static_cast<T>(n) + T(1);
    if (std::abs(at_end) == 1) return at_end > 0 ? odd : sign_of_even<T>(n);
    if (n >= from && std::abs(x) < 1) {
        const T angle = std::acos(x);
        if (std::cos(angle / T(2)) == 1) return x > 0 ? odd : sign_of_even<T>(n);
        return std::sin((static_cast<T>(n) + T(0.5)) * angle) / std::sin(angle / T(2));
    }
    return chebyshev_recurrence(n, x, x + x + 1);
}

// Of [0, 1] instead of [-1, 1].
template <typename T>
LOUPE_HD T shifted_end(T x) {
    return x == 1 ? T(1) : x == 0 ? T(-1) : T(0);
}

template <typename T>
struct Polynomials {
    LOUPE_HD static T t(T x, std::int64_t n) { return chebyshev_t(x, n, x, 7); }
    LOUPE_HD static T u(T x, std::int64_t n) { return chebyshev_u(x, n, x, 9); }
    LOUPE_HD static T v(T x, std::int64_t n) { return chebyshev_v(x, n, x, 9); }
    LOUPE_HD static T w(T x, std::int64_t n) { return chebyshev_w(x, n, x, 9); }
    LOUPE_HD static T shifted_t(T x, std::int64_t n) { return chebyshev_t(x + x - 1, n, shifted_end(x), 7); }
    LOUPE_HD static T shifted_u(T x, std::int64_t n) { return chebyshev_u(x + x - 1, n, shifted_end(x), 7); }
    LOUPE_HD static T shifted_v(T x, std::int64_t n) { return chebyshev_v(x + x - 1, n, shifted_end(x), 7); }
    LOUPE_HD static T shifted_w(T x, std::int64_t n) { return chebyshev_w(x + x - 1, n, shifted_end(x), 5); }
    LOUPE_HD static T hermite_h(T x, std::int64_t n) {
        return recur(n, x + x, [x](T k, T now, T before) { return (x + x) * now - (k + k) * before; });
    }
    LOUPE_HD static T hermite_he(T x, std::int64_t n) {
        return recur(n, x, [x](T k, T now, T before) { return x * now - k * before; });
    }
    LOUPE_HD static T laguerre(T x, std::int64_t n) {
        if (n >= 0 && x == 0) return 1;
        return recur(n, 1 - x, [x](T k, T now, T before) { return ((k + k + (1 - x)) * now - k * before) / (k + 1); });
    }
    LOUPE_HD static T legendre(T x, std::int64_t n) {
        if (n >= 0 && std::abs(x) == 1) return x > 0 ? T(1) : sign_of_even<T>(n);
        return recur(n, x, [x](T k, T now, T before) { return ((k + k + 1) * x * now - k * before) / (k + 1); });
    }
};

}  // namespace loupe::special
