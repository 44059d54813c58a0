// SPDX-License-Identifier: Apache-2.0
// Activation functions.
#include "plugins/cuda/loops/loops.h"
#include "plugins/cuda/loops/operation.h"

namespace loupe::cuda {
namespace {

template <typename T>
LOUPE_HD T elu(const Numbers& n, T x) {
    const T negative = T(n.real[0] * n.real[1]), positive = T(n.real[1]), input = T(n.real[2]);
    return x < T(0) ? std::expm1(x * input) * negative : x * positive;
}
template <typename T>
LOUPE_HD T gelu_tanh(T x) {
    return T(0.5) * x * (T(1) + std::tanh(T(0.7978845608028654) * (x + T(0.044715) * x * x * x)));
}
template <typename T>
LOUPE_HD T softplus(const Numbers& n, T x) {
    const T scaled = x * n.get<T>(0);
    return scaled > n.get<T>(1) ? x : std::log1p(std::exp(scaled)) / n.get<T>(0);
}
template <typename T>
LOUPE_HD T softshrink(const Numbers& n, T x) {
    const T l = n.get<T>(0);
    return x > l ? x - l : (x < -l ? x + l : T(0));
}

LOUPE_UNARY(Relu, x < T(0) ? T(0) : x)
LOUPE_UNARY(Hardtanh, clip(x, n.get<T>(0), n.get<T>(1)))
LOUPE_UNARY(LeakyRelu, x > T(0) ? x : x * n.get<T>(0))
LOUPE_UNARY(Elu, elu(n, x))
LOUPE_UNARY(Gelu, x* T(0.5) * std::erfc(-x * T(0.70710678118654752440)))
LOUPE_UNARY(GeluTanh, gelu_tanh(x))
LOUPE_UNARY(Silu, x / (T(1) + std::exp(-x)))
LOUPE_UNARY(Mish, x* std::tanh(log1p_of_exp(x)))
LOUPE_UNARY(Hardsigmoid, clip(x + T(3), T(0), T(6)) / T(6))
LOUPE_UNARY(Hardswish, x* clip(x + T(3), T(0), T(6)) / T(6))
LOUPE_UNARY(Softplus, softplus(n, x))
LOUPE_UNARY(Softshrink, softshrink(n, x))
LOUPE_UNARY(Hardshrink, std::abs(x) <= n.get<T>(0) ? T(0) : x)
LOUPE_UNARY(LogSigmoid, (x > T(0) ? T(0) : x) - std::log1p(std::exp(-std::abs(x))))
LOUPE_UNARY(Threshold, x <= n.get<T>(0) ? n.get<T>(1) : x)

}  // namespace

bool run_activation(ActivationOp op, Element as, const Queue& q, const LoopShape& loop, const Numbers& n) {
    switch (op) {
        case ActivationOp::Relu:
            return run_number<Relu, 1>(as, q, loop, n);
        case ActivationOp::Hardtanh:
            return run_number<Hardtanh, 1>(as, q, loop, n);
        case ActivationOp::LeakyRelu:
            return run_real<LeakyRelu, 1>(as, q, loop, n);
        case ActivationOp::Elu:
            return run_real<Elu, 1>(as, q, loop, n);
        case ActivationOp::Gelu:
            return run_real<Gelu, 1>(as, q, loop, n);
        case ActivationOp::GeluTanh:
            return run_real<GeluTanh, 1>(as, q, loop, n);
        case ActivationOp::Silu:
            return run_real<Silu, 1>(as, q, loop, n);
        case ActivationOp::Mish:
            return run_real<Mish, 1>(as, q, loop, n);
        case ActivationOp::Hardsigmoid:
            return run_real<Hardsigmoid, 1>(as, q, loop, n);
        case ActivationOp::Hardswish:
            return run_real<Hardswish, 1>(as, q, loop, n);
        case ActivationOp::Softplus:
            return run_real<Softplus, 1>(as, q, loop, n);
        case ActivationOp::Softshrink:
            return run_real<Softshrink, 1>(as, q, loop, n);
        case ActivationOp::Hardshrink:
            return run_real<Hardshrink, 1>(as, q, loop, n);
        case ActivationOp::LogSigmoid:
            return run_real<LogSigmoid, 1>(as, q, loop, n);
        case ActivationOp::Threshold:
            return run_number<Threshold, 1>(as, q, loop, n);
        default:
            return run_activation_gradient(op, as, q, loop, n);
    }
}

}  // namespace loupe::cuda
