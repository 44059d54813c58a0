// SPDX-License-Identifier: Apache-2.0
// Arithmetic of complex numbers, comparisons, tests, parts and conversions.
#include "plugins/cuda/loops/complex.h"
#include "plugins/cuda/loops/complex_formulas.h"

namespace loupe::cuda {
namespace {

using namespace complex;

LOUPE_UNARY(Same, x)
LOUPE_UNARY(Neg, -x)
LOUPE_UNARY(Conj, T{x.re, -x.im})
LOUPE_UNARY(Square, x* x)
LOUPE_UNARY(Cube, x* x* x)
LOUPE_UNARY(Sign, sign(x))
LOUPE_UNARY(Reciprocal, one<typename T::Real>() / x)
LOUPE_UNARY(Magnitude, magnitude(x))
LOUPE_UNARY(Angle, std::atan2(x.im, x.re))

LOUPE_BINARY(Add, a + b)
LOUPE_BINARY(Sub, a - b)
LOUPE_BINARY(AddScaled, a + n.template get<T>(0) * b)
LOUPE_BINARY(SubScaled, a - n.template get<T>(0) * b)
LOUPE_BINARY(Mul, a* b)
LOUPE_BINARY(Div, a / b)
LOUPE_TERNARY(Addcmul, a + n.template get<T>(0) * b * c)
LOUPE_TERNARY(Addcdiv, a + n.template get<T>(0) * b / c)
LOUPE_TERNARY(Lerp, lerp(a, b, c))

LOUPE_UNARY(IsNan, is_nan(x))
LOUPE_UNARY(IsInf, std::isinf(x.re) || std::isinf(x.im))
LOUPE_UNARY(IsFinite, is_finite(x.re) && is_finite(x.im))
LOUPE_UNARY(LogicalNot, is_zero(x))
LOUPE_BINARY(Eq, a == b)
LOUPE_BINARY(Ne, !(a == b))
LOUPE_BINARY(LogicalAnd, !is_zero(a) && !is_zero(b))
LOUPE_BINARY(LogicalOr, !is_zero(a) || !is_zero(b))
LOUPE_BINARY(LogicalXor, is_zero(a) != is_zero(b))

}  // namespace

bool run_complex_unary(UnaryOp op, Element as, const Queue& q, const LoopShape& loop) {
    const Numbers n;
    switch (op) {
        case UnaryOp::Neg:
            return run_complex_fast<Neg, 1>(as, q, loop, n);
        case UnaryOp::Conj:
            return run_complex_fast<Conj, 1>(as, q, loop, n);
        case UnaryOp::Square:
            return run_complex_fast<Square, 1>(as, q, loop, n);
        case UnaryOp::Cube:
            return run_complex<Cube, 1>(as, q, loop, n);
        case UnaryOp::Sign:
            return run_complex<Sign, 1>(as, q, loop, n);
        case UnaryOp::Reciprocal:
            return run_complex<Reciprocal, 1>(as, q, loop, n);
        default:
            return run_complex_function(op, as, q, loop) || run_complex_inverse(op, as, q, loop);
    }
}

bool run_complex_part(ComplexPartOp op, Element as, const Queue& q, const LoopShape& loop) {
    const Numbers n;
    switch (op) {
        case ComplexPartOp::Abs:
            return run_complex<Magnitude, 1>(as, q, loop, n);
        case ComplexPartOp::Angle:
            return run_complex<Angle, 1>(as, q, loop, n);
    }
    return false;
}

bool run_complex_test(TestOp op, const Queue& q, const LoopShape& loop) {
    switch (op) {
        case TestOp::IsNan:
            return run_complex_in_double<IsNan, 1>(q, loop);
        case TestOp::IsInf:
            return run_complex_in_double<IsInf, 1>(q, loop);
        case TestOp::IsFinite:
            return run_complex_in_double<IsFinite, 1>(q, loop);
        case TestOp::LogicalNot:
            return run_complex_in_double<LogicalNot, 1>(q, loop);
        default:
            return false;
    }
}

bool run_complex_binary(BinaryOp op, Element as, const Queue& q, const LoopShape& loop, const Numbers& n) {
    switch (op) {
        case BinaryOp::Add:
            return run_complex_fast<Add, 2>(as, q, loop, n);
        case BinaryOp::Sub:
            return run_complex_fast<Sub, 2>(as, q, loop, n);
        case BinaryOp::AddScaled:
            return run_complex_fast<AddScaled, 2>(as, q, loop, n);
        case BinaryOp::SubScaled:
            return run_complex_fast<SubScaled, 2>(as, q, loop, n);
        case BinaryOp::Mul:
            return run_complex_fast<Mul, 2>(as, q, loop, n);
        case BinaryOp::Div:
            return run_complex_fast<Div, 2>(as, q, loop, n);
        default:
            return run_complex_power(op, as, q, loop);
    }
}

bool run_complex_compare(CompareOp op, const Queue& q, const LoopShape& loop) {
    switch (op) {
        case CompareOp::Eq:
            return run_complex_in_double<Eq, 2>(q, loop);
        case CompareOp::Ne:
            return run_complex_in_double<Ne, 2>(q, loop);
        case CompareOp::LogicalAnd:
            return run_complex_in_double<LogicalAnd, 2>(q, loop);
        case CompareOp::LogicalOr:
            return run_complex_in_double<LogicalOr, 2>(q, loop);
        case CompareOp::LogicalXor:
            return run_complex_in_double<LogicalXor, 2>(q, loop);
        default:
            return false;
    }
}

bool run_complex_ternary(TernaryOp op, Element as, const Queue& q, const LoopShape& loop, const Numbers& n) {
    switch (op) {
        case TernaryOp::Addcmul:
            return run_complex_fast<Addcmul, 3>(as, q, loop, n);
        case TernaryOp::Addcdiv:
            return run_complex<Addcdiv, 3>(as, q, loop, n);
        case TernaryOp::Lerp:
            return run_complex_fast<Lerp, 3>(as, q, loop, n);
        default:
            return false;
    }
}

void run_complex_copy(const Queue& q, const LoopShape& loop) { run_complex_in_double<Same, 1>(q, loop); }

}  // namespace loupe::cuda
