// SPDX-License-Identifier: Apache-2.0
// Powers, exponentials and trigonometric functions of complex numbers.
#include "plugins/cuda/loops/complex.h"
#include "plugins/cuda/loops/complex_formulas.h"

namespace loupe::cuda {
namespace {

using namespace complex;

constexpr double kLn2 = 0.693147180559945309417;

LOUPE_UNARY(Exp, complex::exp(x))
LOUPE_UNARY(Exp2, complex::exp(x* kLn2))
LOUPE_UNARY(Expm1, complex::expm1(x))
LOUPE_UNARY(Sqrt, complex::sqrt(x))
LOUPE_UNARY(Rsqrt, one<double>() / complex::sqrt(x))
LOUPE_UNARY(Sin, complex::sin(x))
LOUPE_UNARY(Cos, complex::cos(x))
LOUPE_UNARY(Tan, complex::tan(x))
LOUPE_UNARY(Sinh, complex::sinh(x))
LOUPE_UNARY(Cosh, complex::cosh(x))
LOUPE_UNARY(Tanh, complex::tanh(x))
LOUPE_UNARY(Sigmoid, one<double>() / (one<double>() + complex::exp(-x)))
LOUPE_UNARY(Sinc, complex::sinc(x))
LOUPE_BINARY(Pow, complex::pow(a, b))
LOUPE_BINARY(Logaddexp, log_add_exp(a, b))

}  // namespace

bool run_complex_function(UnaryOp op, const Queue& q, const LoopShape& loop) {
    switch (op) {
        case UnaryOp::Exp:
            return run_complex_in_double<Exp, 1>(q, loop);
        case UnaryOp::Exp2:
            return run_complex_in_double<Exp2, 1>(q, loop);
        case UnaryOp::Expm1:
            return run_complex_in_double<Expm1, 1>(q, loop);
        case UnaryOp::Sqrt:
            return run_complex_in_double<Sqrt, 1>(q, loop);
        case UnaryOp::Rsqrt:
            return run_complex_in_double<Rsqrt, 1>(q, loop);
        case UnaryOp::Sin:
            return run_complex_in_double<Sin, 1>(q, loop);
        case UnaryOp::Cos:
            return run_complex_in_double<Cos, 1>(q, loop);
        case UnaryOp::Tan:
            return run_complex_in_double<Tan, 1>(q, loop);
        case UnaryOp::Sinh:
            return run_complex_in_double<Sinh, 1>(q, loop);
        case UnaryOp::Cosh:
            return run_complex_in_double<Cosh, 1>(q, loop);
        case UnaryOp::Tanh:
            return run_complex_in_double<Tanh, 1>(q, loop);
        case UnaryOp::Sigmoid:
            return run_complex_in_double<Sigmoid, 1>(q, loop);
        case UnaryOp::Sinc:
            return run_complex_in_double<Sinc, 1>(q, loop);
        default:
            return false;
    }
}

bool run_complex_power(BinaryOp op, const Queue& q, const LoopShape& loop) {
    switch (op) {
        case BinaryOp::Pow:
            return run_complex_in_double<Pow, 2>(q, loop);
        case BinaryOp::Logaddexp:
            return run_complex_in_double<Logaddexp, 2>(q, loop);
        default:
            return false;
    }
}

}  // namespace loupe::cuda
