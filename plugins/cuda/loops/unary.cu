// SPDX-License-Identifier: Apache-2.0
// Functions of one tensor, and tests of its elements.
#include "plugins/cuda/loops/loops.h"
#include "plugins/cuda/loops/operation.h"
#include "plugins/cuda/loops/unary_formulas.h"

namespace loupe::cuda {
namespace {

using namespace unary;

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
