// SPDX-License-Identifier: Apache-2.0
#pragma once
// Functions of one number, and tests of it. Includes nothing of the engine.

#include "plugins/cuda/loops/formula.h"

namespace loupe::cuda::unary {

template <typename T>
LOUPE_HD T negative(T x) {
    if constexpr (std::is_integral_v<T>)
        return static_cast<T>(-static_cast<std::uint64_t>(x));
    else
        return -x;
}
template <typename T>
LOUPE_HD T sinc(T x) {
    if (x == T(0)) return T(1);
    const T scaled = T(3.14159265358979323846) * x;
    return std::sin(scaled) / scaled;
}
template <typename T>
LOUPE_HD T finite(const Numbers& n, T x) {
    if (x != x) return n.get<T>(0);
    if (std::isinf(x)) return x > T(0) ? n.get<T>(1) : n.get<T>(2);
    return x;
}

// Numbers: epsilon, negative for none; whether each step is rounded to bfloat16, as PyTorch does for that type.
template <typename T>
LOUPE_HD T logit(const Numbers& n, T x) {
    const bool narrow = n.real[1] != 0;
    const auto rounded = [narrow](T value) {
        return narrow ? static_cast<T>(from_bfloat16(to_bfloat16(static_cast<float>(value)))) : value;
    };
    const T epsilon = rounded(n.get<T>(0)), high = rounded(T(1) - epsilon);
    if (epsilon >= T(0)) x = x < epsilon ? epsilon : (x > high ? high : x);
    return std::log(rounded(x / rounded(T(1) - x)));
}

LOUPE_UNARY(Abs, x < T(0) ? negative(x) : x)
LOUPE_UNARY(AbsReal, std::abs(x))
LOUPE_UNARY(Neg, negative(x))
LOUPE_UNARY(Sign, static_cast<T>((x > T(0)) - (x < T(0))))
LOUPE_UNARY(Square, x* x)
LOUPE_UNARY(Cube, x* x* x)
LOUPE_UNARY(BitwiseNot, static_cast<T>(~x))
LOUPE_UNARY(Reciprocal, T(1) / x)
LOUPE_UNARY(Sqrt, std::sqrt(x))
LOUPE_UNARY(Rsqrt, T(1) / std::sqrt(x))
LOUPE_UNARY(Floor, std::floor(x))
LOUPE_UNARY(Ceil, std::ceil(x))
LOUPE_UNARY(Round, std::nearbyint(x))
LOUPE_UNARY(Trunc, std::trunc(x))
LOUPE_UNARY(Frac, x - std::trunc(x))
LOUPE_UNARY(Exp, std::exp(x))
LOUPE_UNARY(Exp2, std::exp2(x))
LOUPE_UNARY(Expm1, std::expm1(x))
LOUPE_UNARY(Log, std::log(x))
LOUPE_UNARY(Log2, std::log2(x))
LOUPE_UNARY(Log10, std::log10(x))
LOUPE_UNARY(Log1p, std::log1p(x))
LOUPE_UNARY(Sin, std::sin(x))
LOUPE_UNARY(Cos, std::cos(x))
LOUPE_UNARY(Tan, std::tan(x))
LOUPE_UNARY(Asin, std::asin(x))
LOUPE_UNARY(Acos, std::acos(x))
LOUPE_UNARY(Atan, std::atan(x))
LOUPE_UNARY(Sinh, std::sinh(x))
LOUPE_UNARY(Cosh, std::cosh(x))
LOUPE_UNARY(Tanh, std::tanh(x))
LOUPE_UNARY(Asinh, std::asinh(x))
LOUPE_UNARY(Acosh, std::acosh(x))
LOUPE_UNARY(Atanh, std::atanh(x))
LOUPE_UNARY(Sigmoid, sigmoid(x))
LOUPE_UNARY(Erf, std::erf(x))
LOUPE_UNARY(Erfc, std::erfc(x))
LOUPE_UNARY(Lgamma, std::lgamma(x))
LOUPE_UNARY(NanToNum, finite(n, x))
LOUPE_UNARY(Sinc, sinc(x))
LOUPE_UNARY(Logit, logit(n, x))

LOUPE_UNARY(IsNan, x != x)
LOUPE_UNARY(IsInf, std::isinf(x))
LOUPE_UNARY(IsFinite, std::isfinite(x))
LOUPE_UNARY(IsPosInf, std::isinf(x) && x > T(0))
LOUPE_UNARY(IsNegInf, std::isinf(x) && x < T(0))
LOUPE_UNARY(SignBit, std::signbit(x))
LOUPE_UNARY(Never, false)
LOUPE_UNARY(Always, true)
LOUPE_UNARY(IsNegative, x < T(0))
LOUPE_UNARY(LogicalNot, x == T(0))

}  // namespace loupe::cuda::unary
