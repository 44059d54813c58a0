// SPDX-License-Identifier: Apache-2.0
// Functions of two tensors. Integers are divided in division.cu: a zero among the divisors is a fault.
#include "plugins/cuda/loops/binary_formulas.h"
#include "plugins/cuda/loops/loops.h"
#include "plugins/cuda/loops/operation.h"

namespace loupe::cuda {
namespace {

using namespace binary;

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
