// SPDX-License-Identifier: Apache-2.0
// Logarithms and inverse trigonometric functions of complex numbers.
#include "plugins/cuda/loops/complex.h"
#include "plugins/cuda/loops/complex_formulas.h"

namespace loupe::cuda {
namespace {

using namespace complex;

constexpr double kPerLn2 = 1.44269504088896340736, kPerLn10 = 0.434294481903251827651;

LOUPE_UNARY(Log, complex::log(x))
LOUPE_UNARY(Log2, complex::log(x) * static_cast<typename T::Real>(kPerLn2))
LOUPE_UNARY(Log10, complex::log(x) * static_cast<typename T::Real>(kPerLn10))
LOUPE_UNARY(Log1p, complex::log1p(x))
LOUPE_UNARY(Asin, complex::asin(x))
LOUPE_UNARY(Acos, complex::acos(x))
LOUPE_UNARY(Atan, complex::atan(x))
LOUPE_UNARY(Asinh, complex::asinh(x))
LOUPE_UNARY(Acosh, complex::acosh(x))
LOUPE_UNARY(Atanh, complex::atanh(x))

}  // namespace

bool run_complex_inverse(UnaryOp op, Element as, const Queue& q, const LoopShape& loop) {
    const Numbers n;
    switch (op) {
        case UnaryOp::Log:
            return run_complex<Log, 1>(as, q, loop, n);
        case UnaryOp::Log2:
            return run_complex<Log2, 1>(as, q, loop, n);
        case UnaryOp::Log10:
            return run_complex<Log10, 1>(as, q, loop, n);
        case UnaryOp::Log1p:
            return run_complex<Log1p, 1>(as, q, loop, n);
        case UnaryOp::Asin:
            return run_complex<Asin, 1>(as, q, loop, n);
        case UnaryOp::Acos:
            return run_complex<Acos, 1>(as, q, loop, n);
        case UnaryOp::Atan:
            return run_complex<Atan, 1>(as, q, loop, n);
        case UnaryOp::Asinh:
            return run_complex<Asinh, 1>(as, q, loop, n);
        case UnaryOp::Acosh:
            return run_complex<Acosh, 1>(as, q, loop, n);
        case UnaryOp::Atanh:
            return run_complex<Atanh, 1>(as, q, loop, n);
        default:
            return false;
    }
}

}  // namespace loupe::cuda
