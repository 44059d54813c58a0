// SPDX-License-Identifier: Apache-2.0
// Powers, exponentials and trigonometric functions of complex numbers.
#include "plugins/cuda/loops/complex.h"
#include "plugins/cuda/loops/complex_formulas.h"

namespace loupe::cuda {
namespace {

using namespace complex;

constexpr double kLn2 = 0.693147180559945309417;

LOUPE_UNARY(Exp, complex::exp(x))
LOUPE_UNARY(Exp2, complex::exp(x* static_cast<typename T::Real>(kLn2)))
LOUPE_UNARY(Expm1, complex::expm1(x))
LOUPE_UNARY(Sqrt, complex::sqrt(x))
LOUPE_UNARY(Rsqrt, one<typename T::Real>() / complex::sqrt(x))
LOUPE_UNARY(Sin, complex::sin(x))
LOUPE_UNARY(Cos, complex::cos(x))
LOUPE_UNARY(Tan, complex::tan(x))
LOUPE_UNARY(Sinh, complex::sinh(x))
LOUPE_UNARY(Cosh, complex::cosh(x))
LOUPE_UNARY(Tanh, complex::tanh(x))
LOUPE_UNARY(Sigmoid, one<typename T::Real>() / (one<typename T::Real>() + complex::exp(-x)))
LOUPE_UNARY(Sinc, complex::sinc(x))
LOUPE_BINARY(Pow, complex::pow(a, b))
LOUPE_BINARY(Logaddexp, log_add_exp(a, b))

}  // namespace

bool run_complex_function(UnaryOp op, Element as, const Queue& q, const LoopShape& loop) {
    const Numbers n;
    switch (op) {
        case UnaryOp::Exp:
            return run_complex<Exp, 1>(as, q, loop, n);
        case UnaryOp::Exp2:
            return run_complex<Exp2, 1>(as, q, loop, n);
        case UnaryOp::Expm1:
            return run_complex<Expm1, 1>(as, q, loop, n);
        case UnaryOp::Sqrt:
            return run_complex<Sqrt, 1>(as, q, loop, n);
        case UnaryOp::Rsqrt:
            return run_complex<Rsqrt, 1>(as, q, loop, n);
        case UnaryOp::Sin:
            return run_complex<Sin, 1>(as, q, loop, n);
        case UnaryOp::Cos:
            return run_complex<Cos, 1>(as, q, loop, n);
        case UnaryOp::Tan:
            return run_complex<Tan, 1>(as, q, loop, n);
        case UnaryOp::Sinh:
            return run_complex<Sinh, 1>(as, q, loop, n);
        case UnaryOp::Cosh:
            return run_complex<Cosh, 1>(as, q, loop, n);
        case UnaryOp::Tanh:
            return run_complex<Tanh, 1>(as, q, loop, n);
        case UnaryOp::Sigmoid:
            return run_complex<Sigmoid, 1>(as, q, loop, n);
        case UnaryOp::Sinc:
            return run_complex<Sinc, 1>(as, q, loop, n);
        default:
            return false;
    }
}

bool run_complex_power(BinaryOp op, Element as, const Queue& q, const LoopShape& loop) {
    const Numbers n;
    switch (op) {
        case BinaryOp::Pow:
            return run_complex<Pow, 2>(as, q, loop, n);
        case BinaryOp::Logaddexp:
            return run_complex<Logaddexp, 2>(as, q, loop, n);
        default:
            return false;
    }
}

}  // namespace loupe::cuda
