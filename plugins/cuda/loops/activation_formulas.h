// SPDX-License-Identifier: Apache-2.0
#pragma once
// Activation functions. Includes nothing of the engine.

#include "plugins/cuda/loops/formula.h"

namespace loupe::cuda::activation {

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

}  // namespace loupe::cuda::activation
