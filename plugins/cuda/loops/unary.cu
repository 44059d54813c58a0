// SPDX-License-Identifier: Apache-2.0
// Functions of one tensor, and tests of its elements.
#include "plugins/cuda/loops/loops.h"
#include "plugins/cuda/loops/operation.h"

namespace loupe::cuda {
namespace {

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

bool run_function(UnaryOp op, Element as, const Queue& q, const LoopShape& loop, const Numbers& n) {
    switch (op) {
        case UnaryOp::Exp:
            return run_real<Exp, 1>(as, q, loop, n);
        case UnaryOp::Exp2:
            return run_real<Exp2, 1>(as, q, loop, n);
        case UnaryOp::Expm1:
            return run_real<Expm1, 1>(as, q, loop, n);
        case UnaryOp::Log:
            return run_real<Log, 1>(as, q, loop, n);
        case UnaryOp::Log2:
            return run_real<Log2, 1>(as, q, loop, n);
        case UnaryOp::Log10:
            return run_real<Log10, 1>(as, q, loop, n);
        case UnaryOp::Log1p:
            return run_real<Log1p, 1>(as, q, loop, n);
        case UnaryOp::Sin:
            return run_real<Sin, 1>(as, q, loop, n);
        case UnaryOp::Cos:
            return run_real<Cos, 1>(as, q, loop, n);
        case UnaryOp::Tan:
            return run_real<Tan, 1>(as, q, loop, n);
        case UnaryOp::Asin:
            return run_real<Asin, 1>(as, q, loop, n);
        case UnaryOp::Acos:
            return run_real<Acos, 1>(as, q, loop, n);
        case UnaryOp::Atan:
            return run_real<Atan, 1>(as, q, loop, n);
        case UnaryOp::Sinh:
            return run_real<Sinh, 1>(as, q, loop, n);
        case UnaryOp::Cosh:
            return run_real<Cosh, 1>(as, q, loop, n);
        case UnaryOp::Tanh:
            return run_real<Tanh, 1>(as, q, loop, n);
        case UnaryOp::Asinh:
            return run_real<Asinh, 1>(as, q, loop, n);
        case UnaryOp::Acosh:
            return run_real<Acosh, 1>(as, q, loop, n);
        case UnaryOp::Atanh:
            return run_real<Atanh, 1>(as, q, loop, n);
        case UnaryOp::Sigmoid:
            return run_real<Sigmoid, 1>(as, q, loop, n);
        case UnaryOp::Erf:
            return run_real<Erf, 1>(as, q, loop, n);
        case UnaryOp::Erfc:
            return run_real<Erfc, 1>(as, q, loop, n);
        case UnaryOp::Lgamma:
            return run_real<Lgamma, 1>(as, q, loop, n);
        case UnaryOp::NanToNum:
            return run_real<NanToNum, 1>(as, q, loop, n);
        case UnaryOp::Sinc:
            return run_real<Sinc, 1>(as, q, loop, n);
        default:  // Conj, Digamma, Erfinv, I0, Logit, Polygamma: the host's
            return false;
    }
}

}  // namespace

bool run_unary(UnaryOp op, Element as, const Queue& q, const LoopShape& loop, const Numbers& n) {
    switch (op) {
        case UnaryOp::Abs:
            return run_real<AbsReal, 1>(as, q, loop, n) || run_integer<Abs, 1>(as, q, loop, n);
        case UnaryOp::Neg:
            return run_number<Neg, 1>(as, q, loop, n);
        case UnaryOp::Sign:
            return run_number<Sign, 1>(as, q, loop, n);
        case UnaryOp::Square:
            return run_number<Square, 1>(as, q, loop, n);
        case UnaryOp::Cube:
            return run_number<Cube, 1>(as, q, loop, n);
        case UnaryOp::BitwiseNot:
            return run_integer<BitwiseNot, 1>(as, q, loop, n);
        case UnaryOp::Reciprocal:
            return run_real<Reciprocal, 1>(as, q, loop, n);
        case UnaryOp::Sqrt:
            return run_real<Sqrt, 1>(as, q, loop, n);
        case UnaryOp::Rsqrt:
            return run_real<Rsqrt, 1>(as, q, loop, n);
        case UnaryOp::Floor:
            return run_real<Floor, 1>(as, q, loop, n);
        case UnaryOp::Ceil:
            return run_real<Ceil, 1>(as, q, loop, n);
        case UnaryOp::Round:
            return run_real<Round, 1>(as, q, loop, n);
        case UnaryOp::Trunc:
            return run_real<Trunc, 1>(as, q, loop, n);
        case UnaryOp::Frac:
            return run_real<Frac, 1>(as, q, loop, n);
        default:
            return run_function(op, as, q, loop, n);
    }
}

bool run_test(TestOp op, Element as, const Queue& q, const LoopShape& loop) {
    const Numbers n;
    switch (op) {
        case TestOp::IsNan:
            return run_real<IsNan, 1>(as, q, loop, n) || run_integer<Never, 1>(as, q, loop, n);
        case TestOp::IsInf:
            return run_real<IsInf, 1>(as, q, loop, n) || run_integer<Never, 1>(as, q, loop, n);
        case TestOp::IsFinite:
            return run_real<IsFinite, 1>(as, q, loop, n) || run_integer<Always, 1>(as, q, loop, n);
        case TestOp::IsPosInf:
            return run_real<IsPosInf, 1>(as, q, loop, n) || run_integer<Never, 1>(as, q, loop, n);
        case TestOp::IsNegInf:
            return run_real<IsNegInf, 1>(as, q, loop, n) || run_integer<Never, 1>(as, q, loop, n);
        case TestOp::SignBit:
            return run_real<SignBit, 1>(as, q, loop, n) || run_integer<IsNegative, 1>(as, q, loop, n);
        case TestOp::LogicalNot:
            if (as == Element::Bool) as = Element::Int64;
            return run_number<LogicalNot, 1>(as, q, loop, n);
    }
    return false;
}

}  // namespace loupe::cuda
