// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a step of a list program computes, for the host and for devices. LOUPE_LIST_HD marks the functions of devices.

#include <cmath>

#include "core/kernels/list_program.h"

#ifndef LOUPE_LIST_HD
#define LOUPE_LIST_HD
#endif

namespace loupe {

template <typename T>
LOUPE_LIST_HD T list_rounded(T x) {
    return std::nearbyint(x);
}

// Of the operations with one operand that are not arithmetic.
template <typename T>
LOUPE_LIST_HD T list_function(ListOp op, T x) {
    switch (op) {
        case ListOp::Exp:
            return std::exp(x);
        case ListOp::Expm1:
            return std::expm1(x);
        case ListOp::Log:
            return std::log(x);
        case ListOp::Log10:
            return std::log10(x);
        case ListOp::Log1p:
            return std::log1p(x);
        case ListOp::Log2:
            return std::log2(x);
        case ListOp::Sin:
            return std::sin(x);
        case ListOp::Cos:
            return std::cos(x);
        case ListOp::Tan:
            return std::tan(x);
        case ListOp::Asin:
            return std::asin(x);
        case ListOp::Acos:
            return std::acos(x);
        case ListOp::Atan:
            return std::atan(x);
        case ListOp::Sinh:
            return std::sinh(x);
        case ListOp::Cosh:
            return std::cosh(x);
        case ListOp::Tanh:
            return std::tanh(x);
        case ListOp::Erf:
            return std::erf(x);
        case ListOp::Erfc:
            return std::erfc(x);
        case ListOp::Lgamma:
            return std::lgamma(x);
        case ListOp::Ceil:
            return std::ceil(x);
        case ListOp::Floor:
            return std::floor(x);
        case ListOp::Round:
            return list_rounded(x);
        case ListOp::Trunc:
            return std::trunc(x);
        case ListOp::Frac:
            return x - std::trunc(x);
        case ListOp::Sigmoid:
            return T(1) / (T(1) + std::exp(-x));
        case ListOp::Reciprocal:
            return T(1) / x;
        default:
            return x;
    }
}

// The value of a step; FlagInfinite gives a. The order of conditions decides what NaN gives.
template <typename T>
LOUPE_LIST_HD T list_value(ListOp op, T a, T b, T c) {
    switch (op) {
        case ListOp::Add:
            return a + b;
        case ListOp::Sub:
            return a - b;
        case ListOp::Mul:
            return a * b;
        case ListOp::Div:
            return a / b;
        case ListOp::Maximum:
            return a != a || a > b ? a : b;
        case ListOp::Minimum:
            return a != a || a < b ? a : b;
        case ListOp::Pow:
            return std::pow(a, b);
        case ListOp::Greater:
            return a > b ? T(1) : T(0);
        case ListOp::Less:
            return a < b ? T(1) : T(0);
        case ListOp::NotEqual:
            return a != b ? T(1) : T(0);
        case ListOp::Or:
            return a != T(0) || b != T(0) ? T(1) : T(0);
        case ListOp::Choose:
            return a != T(0) ? b : c;
        case ListOp::Sqrt:
            return std::sqrt(a);
        case ListOp::Abs:
            return std::abs(a);
        case ListOp::Neg:
            return -a;
        case ListOp::Sign:
            return a > T(0) ? T(1) : a < T(0) ? T(-1) : T(0);
        default:
            return list_function(op, a);
    }
}

}  // namespace loupe
