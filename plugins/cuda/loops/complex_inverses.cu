// SPDX-License-Identifier: Apache-2.0
// Logarithms and inverse trigonometric functions of complex numbers.
#include "plugins/cuda/loops/complex.h"
#include "plugins/cuda/loops/complex_formulas.h"

namespace loupe::cuda {
namespace {

using namespace complex;

constexpr double kPerLn2 = 1.44269504088896340736, kPerLn10 = 0.434294481903251827651;

LOUPE_UNARY(Log, complex::log(x))
LOUPE_UNARY(Log2, complex::log(x) * kPerLn2)
LOUPE_UNARY(Log10, complex::log(x) * kPerLn10)
LOUPE_UNARY(Log1p, complex::log1p(x))
LOUPE_UNARY(Asin, complex::asin(x))
LOUPE_UNARY(Acos, complex::acos(x))
LOUPE_UNARY(Atan, complex::atan(x))
LOUPE_UNARY(Asinh, complex::asinh(x))
LOUPE_UNARY(Acosh, complex::acosh(x))
LOUPE_UNARY(Atanh, complex::atanh(x))

}  // namespace

bool run_complex_inverse(UnaryOp op, const Queue& q, const LoopShape& loop) {
    switch (op) {
        case UnaryOp::Log:
            return run_complex_in_double<Log, 1>(q, loop);
        case UnaryOp::Log2:
            return run_complex_in_double<Log2, 1>(q, loop);
        case UnaryOp::Log10:
            return run_complex_in_double<Log10, 1>(q, loop);
        case UnaryOp::Log1p:
            return run_complex_in_double<Log1p, 1>(q, loop);
        case UnaryOp::Asin:
            return run_complex_in_double<Asin, 1>(q, loop);
        case UnaryOp::Acos:
            return run_complex_in_double<Acos, 1>(q, loop);
        case UnaryOp::Atan:
            return run_complex_in_double<Atan, 1>(q, loop);
        case UnaryOp::Asinh:
            return run_complex_in_double<Asinh, 1>(q, loop);
        case UnaryOp::Acosh:
            return run_complex_in_double<Acosh, 1>(q, loop);
        case UnaryOp::Atanh:
            return run_complex_in_double<Atanh, 1>(q, loop);
        default:
            return false;
    }
}

}  // namespace loupe::cuda
