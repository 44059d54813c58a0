// SPDX-License-Identifier: Apache-2.0
// Functions of two tensors. Integers are not divided here: a zero among the divisors is an error, which the host finds.
#include "plugins/cuda/loops/loops.h"
#include "plugins/cuda/loops/operation.h"

namespace loupe::cuda {
namespace {

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
LOUPE_BINARY(AddScaled, sum(a, product(n.get<T>(0), b)))
LOUPE_BINARY(SubScaled, difference(a, product(n.get<T>(0), b)))
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

}  // namespace

bool run_binary(BinaryOp op, Element as, const Queue& q, const LoopShape& loop, const Numbers& n) {
    switch (op) {
        case BinaryOp::Add:
            return run_number<Add, 2>(as, q, loop, n);
        case BinaryOp::Sub:
            return run_number<Sub, 2>(as, q, loop, n);
        case BinaryOp::AddScaled:
            return run_number<AddScaled, 2>(as, q, loop, n);
        case BinaryOp::SubScaled:
            return run_number<SubScaled, 2>(as, q, loop, n);
        case BinaryOp::Mul:
            return run_number<Mul, 2>(as, q, loop, n);
        case BinaryOp::Div:
            return run_real<Div, 2>(as, q, loop, n);
        case BinaryOp::DivFloor:
            return run_real<DivFloor, 2>(as, q, loop, n);
        case BinaryOp::DivTrunc:
            return run_real<DivTrunc, 2>(as, q, loop, n);
        case BinaryOp::Fmod:
            return run_real<Fmod, 2>(as, q, loop, n);
        case BinaryOp::Remainder:
            return run_real<Remainder, 2>(as, q, loop, n);
        case BinaryOp::Pow:
            return run_number<Pow, 2>(as, q, loop, n);
        case BinaryOp::Atan2:
            return run_real<Atan2, 2>(as, q, loop, n);
        case BinaryOp::Maximum:
            return run_number<Maximum, 2>(as, q, loop, n);
        case BinaryOp::Minimum:
            return run_number<Minimum, 2>(as, q, loop, n);
        case BinaryOp::Fmax:
            return run_number<Fmax, 2>(as, q, loop, n);
        case BinaryOp::Fmin:
            return run_number<Fmin, 2>(as, q, loop, n);
        case BinaryOp::Hypot:
            return run_real<Hypot, 2>(as, q, loop, n);
        case BinaryOp::Copysign:
            return run_real<Copysign, 2>(as, q, loop, n);
        case BinaryOp::Xlogy:
            return run_real<Xlogy, 2>(as, q, loop, n);
        case BinaryOp::Logaddexp:
            return run_real<Logaddexp, 2>(as, q, loop, n);
        case BinaryOp::Logaddexp2:
            return run_real<Logaddexp2, 2>(as, q, loop, n);
        case BinaryOp::Nextafter:
            return run_real<Nextafter, 2>(as, q, loop, n);
        case BinaryOp::BitwiseAnd:
            return run_integer<And, 2>(as, q, loop, n);
        case BinaryOp::BitwiseOr:
            return run_integer<Or, 2>(as, q, loop, n);
        case BinaryOp::BitwiseXor:
            return run_integer<Xor, 2>(as, q, loop, n);
        case BinaryOp::ShiftLeft:
            return run_integer<ShiftLeft, 2>(as, q, loop, n);
        case BinaryOp::ShiftRight:
            return run_integer<ShiftRight, 2>(as, q, loop, n);
        case BinaryOp::Gcd:
            return run_integer<Gcd, 2>(as, q, loop, n);
        case BinaryOp::Lcm:
            return run_integer<Lcm, 2>(as, q, loop, n);
        case BinaryOp::Heaviside:
            return run_number<Heaviside, 2>(as, q, loop, n);
    }
    return false;
}

bool run_compare(CompareOp op, Element as, const Queue& q, const LoopShape& loop) {
    const Numbers n;
    if (as == Element::Bool) as = Element::Int64;
    switch (op) {
        case CompareOp::Eq:
            return run_number<Eq, 2>(as, q, loop, n);
        case CompareOp::Ne:
            return run_number<Ne, 2>(as, q, loop, n);
        case CompareOp::Lt:
            return run_number<Lt, 2>(as, q, loop, n);
        case CompareOp::Le:
            return run_number<Le, 2>(as, q, loop, n);
        case CompareOp::Gt:
            return run_number<Gt, 2>(as, q, loop, n);
        case CompareOp::Ge:
            return run_number<Ge, 2>(as, q, loop, n);
        case CompareOp::LogicalAnd:
            return run_number<LogicalAnd, 2>(as, q, loop, n);
        case CompareOp::LogicalOr:
            return run_number<LogicalOr, 2>(as, q, loop, n);
        case CompareOp::LogicalXor:
            return run_number<LogicalXor, 2>(as, q, loop, n);
    }
    return false;
}

}  // namespace loupe::cuda
