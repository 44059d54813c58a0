// SPDX-License-Identifier: Apache-2.0
#pragma once
// Functions of two numbers. Includes nothing of the engine.

#include "plugins/cuda/loops/formula.h"

namespace loupe::cuda::binary {

template <typename T>
LOUPE_HD T sum(T a, T b) {
    if constexpr (std::is_integral_v<T>)
        return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
    else
        return a + b;
}
template <typename T>
LOUPE_HD T difference(T a, T b) {
    if constexpr (std::is_integral_v<T>)
        return static_cast<T>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
    else
        return a - b;
}
template <typename T>
LOUPE_HD T product(T a, T b) {
    if constexpr (std::is_integral_v<T>)
        return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
    else
        return a * b;
}
// Python's //: through the remainder, so that it agrees with it.
template <typename T>
LOUPE_HD T floor_divide(T a, T b) {
    if (b == T(0)) return a / b;
    const T remainder = std::fmod(a, b);
    T quotient = (a - remainder) / b;
    if (remainder != T(0) && (b < T(0)) != (remainder < T(0))) quotient -= T(1);
    if (quotient == T(0)) return std::copysign(T(0), a / b);
    const T floor = std::floor(quotient);
    return quotient - floor > T(0.5) ? floor + T(1) : floor;
}
// The sign of the divisor, as Python's %.
template <typename T>
LOUPE_HD T remainder(T a, T b) {
    T rest = std::fmod(a, b);
    if (rest != T(0) && (b < T(0)) != (rest < T(0))) rest += b;
    return rest;
}
template <typename T>
LOUPE_HD T power(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
        if (b < 0) return a == 1 ? 1 : (a == -1 ? (b % 2 == 0 ? 1 : -1) : 0);
        std::uint64_t result = 1;
        auto base = static_cast<std::uint64_t>(a);
        for (; b != 0; b >>= 1, base *= base) {
            if ((b & 1) != 0) result *= base;
        }
        return static_cast<T>(result);
    } else {
        return std::pow(a, b);
    }
}
template <typename T>
LOUPE_HD T xlogy(T a, T b) {
    if (b != b) return b;
    return a == T(0) ? T(0) : a * std::log(b);
}
template <typename T>
LOUPE_HD T logaddexp(T a, T b) {
    if (std::isinf(a) && a == b) return a;
    return (a > b ? a : b) + std::log1p(std::exp(-std::abs(a - b)));
}
template <typename T>
LOUPE_HD T logaddexp2(T a, T b) {
    if (std::isinf(a) && a == b) return a;
    return (a > b ? a : b) + std::log2(T(1) + std::exp2(-std::abs(a - b)));
}
LOUPE_HD inline std::uint64_t magnitude(std::int64_t a) {
    return a < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(a) : static_cast<std::uint64_t>(a);
}
LOUPE_HD inline std::uint64_t gcd(std::int64_t a, std::int64_t b) {
    std::uint64_t x = magnitude(a), y = magnitude(b);
    while (y != 0) {
        const std::uint64_t rest = x % y;
        x = y;
        y = rest;
    }
    return x;
}
LOUPE_HD inline std::int64_t lcm(std::int64_t a, std::int64_t b) {
    const std::uint64_t divisor = gcd(a, b);
    return divisor == 0 ? 0 : static_cast<std::int64_t>(magnitude(a) / divisor * magnitude(b));
}

LOUPE_BINARY(Add, sum(a, b))
LOUPE_BINARY(Sub, difference(a, b))
LOUPE_BINARY(AddScaled, multiply_add(n.get<T>(0), b, a))
LOUPE_BINARY(SubScaled, multiply_add(difference(T(0), n.get<T>(0)), b, a))
LOUPE_BINARY(Mul, product(a, b))
LOUPE_BINARY(Div, a / b)
LOUPE_BINARY(DivFloor, floor_divide(a, b))
LOUPE_BINARY(DivTrunc, std::trunc(a / b))
LOUPE_BINARY(Fmod, std::fmod(a, b))
LOUPE_BINARY(Remainder, remainder(a, b))
LOUPE_BINARY(Pow, power(a, b))
LOUPE_BINARY(Atan2, std::atan2(a, b))
LOUPE_BINARY(Maximum, a != a || a > b ? a : b)
LOUPE_BINARY(Minimum, a != a || a < b ? a : b)
LOUPE_BINARY(Fmax, b != b || a > b ? a : b)
LOUPE_BINARY(Fmin, b != b || a < b ? a : b)
LOUPE_BINARY(Hypot, std::hypot(a, b))
LOUPE_BINARY(Copysign, std::copysign(a, b))
LOUPE_BINARY(Xlogy, xlogy(a, b))
LOUPE_BINARY(Logaddexp, logaddexp(a, b))
LOUPE_BINARY(Logaddexp2, logaddexp2(a, b))
LOUPE_BINARY(Nextafter, std::nextafter(a, b))
LOUPE_BINARY(And, a& b)
LOUPE_BINARY(Or, a | b)
LOUPE_BINARY(Xor, a ^ b)
LOUPE_BINARY(ShiftLeft, b<0 || b> 63 ? T(0) : static_cast<T>(static_cast<std::uint64_t>(a) << b))
LOUPE_BINARY(ShiftRight, b<0 || b> 63 ? (a < 0 ? T(-1) : T(0)) : static_cast<T>(a >> b))
LOUPE_BINARY(Gcd, static_cast<T>(gcd(a, b)))
LOUPE_BINARY(Lcm, static_cast<T>(lcm(a, b)))
LOUPE_BINARY(Heaviside, a == T(0) ? b : static_cast<T>(a > T(0)))

LOUPE_BINARY(Eq, a == b)
LOUPE_BINARY(Ne, a != b)
LOUPE_BINARY(Lt, a < b)
LOUPE_BINARY(Le, a <= b)
LOUPE_BINARY(Gt, a > b)
LOUPE_BINARY(Ge, a >= b)
LOUPE_BINARY(LogicalAnd, (a != T(0)) && (b != T(0)))
LOUPE_BINARY(LogicalOr, (a != T(0)) || (b != T(0)))
LOUPE_BINARY(LogicalXor, (a != T(0)) != (b != T(0)))

}  // namespace loupe::cuda::binary
