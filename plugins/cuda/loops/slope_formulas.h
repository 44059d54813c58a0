// SPDX-License-Identifier: Apache-2.0
#pragma once
// Gradients of activation functions: a is the output's gradient, b the input, or the output where the formula says
// so. Includes nothing of the engine.

#include "plugins/cuda/loops/formula.h"

namespace loupe::cuda::slope {

template <typename T>
LOUPE_HD T elu_slope(const Numbers& n, T x) {
    const T negative = T(n.real[0] * n.real[1]), positive = T(n.real[1]), input = T(n.real[2]);
    return x <= T(0) ? negative * input * std::exp(x * input) : positive;
}
template <typename T>
LOUPE_HD T elu_slope_of_result(const Numbers& n, T y) {
    const T negative = T(n.real[0] * n.real[1]), positive = T(n.real[1]), input = T(n.real[2]);
    return y <= T(0) ? input * (y + negative) : positive;
}
template <typename T>
LOUPE_HD T gelu_slope(T x) {
    const T cdf = T(0.5) * std::erfc(-x * T(0.70710678118654752440));
    return cdf + x * T(0.39894228040143267794) * std::exp(T(-0.5) * x * x);
}
template <typename T>
LOUPE_HD T gelu_tanh_slope(T x) {
    const T k = T(0.7978845608028654);
    const T t = std::tanh(k * (x + T(0.044715) * x * x * x));
    return T(0.5) * (T(1) + t) + T(0.5) * x * (T(1) - t * t) * k * (T(1) + T(3 * 0.044715) * x * x);
}
template <typename T>
LOUPE_HD T silu_slope(T x) {
    const T s = sigmoid(x);
    return s * (x * (T(1) - s) + T(1));
}
template <typename T>
LOUPE_HD T mish_slope(T x) {
    const T t = std::tanh(log1p_of_exp(x));
    return x * sigmoid(x) * (T(1) - t * t) + t;
}
template <typename T>
LOUPE_HD T softplus_gradient(const Numbers& n, T g, T x) {
    const T scaled = x * n.get<T>(0);
    return scaled > n.get<T>(1) ? g : g * sigmoid(scaled);
}

LOUPE_BINARY(Hardtanh, b <= n.get<T>(0) || b >= n.get<T>(1) ? T(0) : a)
LOUPE_BINARY(LeakyRelu, b > T(0) ? a : a * n.get<T>(0))
LOUPE_BINARY(Elu, a* elu_slope(n, b))
LOUPE_BINARY(EluOfResult, a* elu_slope_of_result(n, b))
LOUPE_BINARY(Gelu, a* gelu_slope(b))
LOUPE_BINARY(GeluTanh, a* gelu_tanh_slope(b))
LOUPE_BINARY(Silu, a* silu_slope(b))
LOUPE_BINARY(Mish, a* mish_slope(b))
LOUPE_BINARY(Hardsigmoid, b > T(-3) && b < T(3) ? a * T(1.0 / 6) : T(0))
LOUPE_BINARY(Hardswish, b < T(-3) ? T(0) : (b < T(3) ? a * (b / T(3) + T(0.5)) : a))
LOUPE_BINARY(Softplus, softplus_gradient(n, a, b))
LOUPE_BINARY(Shrink, b >= -n.get<T>(0) && b <= n.get<T>(0) ? T(0) : a)
LOUPE_BINARY(LogSigmoid, a* sigmoid(-b))
LOUPE_BINARY(Threshold, b <= n.get<T>(0) ? T(0) : a)
LOUPE_BINARY(Sigmoid, a*((T(1) - b) * b))
LOUPE_BINARY(Tanh, a* multiply_add(-b, b, T(1)))

}  // namespace loupe::cuda::slope
