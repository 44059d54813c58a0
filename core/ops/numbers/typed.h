// SPDX-License-Identifier: Apache-2.0
#pragma once
// Kernels on Python numbers from functions on C++ ones.

#include <cmath>
#include <complex>

#include "core/dispatch/boxing.h"

namespace loupe::numbers {

using Int = std::int64_t;
using Float = double;
using Complex = std::complex<double>;

template <typename T>
T as(const IValue& value) {
    return detail::Unbox<T>::from(value);
}

template <typename A, typename B>
using Wider = std::conditional_t<std::is_same_v<A, Complex> || std::is_same_v<B, Complex>, Complex,
                                 std::conditional_t<std::is_same_v<A, Float> || std::is_same_v<B, Float>, Float, Int>>;
template <typename To, typename From>
To widen(From value) {
    if constexpr (std::is_same_v<To, From>)
        return value;
    else if constexpr (std::is_same_v<To, Complex>)
        return Complex(static_cast<double>(value), 0);
    else
        return static_cast<To>(value);
}

// Op::apply on the wider of both types.
template <typename Op, typename A, typename B>
void binary(Arguments arguments, IValue* results) {
    using T = Wider<A, B>;
    results[0] = IValue(Op::apply(widen<T>(as<A>(arguments[0])), widen<T>(as<B>(arguments[1]))));
}
// Op::apply on both as floats.
template <typename Op, typename A, typename B>
void binary_float(Arguments arguments, IValue* results) {
    results[0] = IValue(Op::apply(widen<Float>(as<A>(arguments[0])), widen<Float>(as<B>(arguments[1]))));
}

template <typename Op>
concept TakesComplex = requires(Complex z) {
    Op::apply(z, z);
};
template <typename Op>
concept TakesComplexAlone = requires(Complex z) {
    Op::apply(z);
};
[[noreturn]] void no_complex_numbers();

// Op::apply on numbers whose types are known at run time.
template <typename Op>
void binary_scalar(Arguments arguments, IValue* results) {
    const Scalar a = arguments[0].to_scalar();
    const Scalar b = arguments[1].to_scalar();
    if (a.is_complex() || b.is_complex()) {
        if constexpr (TakesComplex<Op>)
            results[0] = IValue(Op::apply(a.to_complex(), b.to_complex()));
        else
            no_complex_numbers();
    } else if (a.is_integral() && b.is_integral()) {
        results[0] = IValue(Op::apply(a.to_int(), b.to_int()));
    } else {
        results[0] = IValue(Op::apply(a.to_double(), b.to_double()));
    }
}
template <typename Op>
void binary_scalar_float(Arguments arguments, IValue* results) {
    const Scalar a = arguments[0].to_scalar();
    const Scalar b = arguments[1].to_scalar();
    if (a.is_complex() || b.is_complex()) no_complex_numbers();
    results[0] = IValue(Op::apply(a.to_double(), b.to_double()));
}

template <typename Op, typename A>
void unary(Arguments arguments, IValue* results) {
    results[0] = IValue(Op::apply(as<A>(arguments[0])));
}
template <typename Op, typename A>
void unary_float(Arguments arguments, IValue* results) {
    results[0] = IValue(Op::apply(widen<Float>(as<A>(arguments[0]))));
}

// On a number whose type is known at run time.
template <typename Op>
void unary_scalar(Arguments arguments, IValue* results) {
    const Scalar a = arguments[0].to_scalar();
    if (a.is_complex()) {
        if constexpr (TakesComplexAlone<Op>)
            results[0] = IValue(Op::apply(a.to_complex()));
        else
            no_complex_numbers();
    } else if (a.is_integral()) {
        results[0] = IValue(Op::apply(a.to_int()));
    } else {
        results[0] = IValue(Op::apply(a.to_double()));
    }
}
// The same through floats. PyTorch rounds real results of these overloads to float32.
template <typename Op>
void unary_scalar_float(Arguments arguments, IValue* results) {
    const Scalar a = arguments[0].to_scalar();
    if (!a.is_complex()) {
        results[0] = IValue(static_cast<double>(static_cast<float>(Op::apply(a.to_double()))));
    } else if constexpr (TakesComplexAlone<Op>) {
        results[0] = IValue(Op::apply(a.to_complex()));
    } else {
        no_complex_numbers();
    }
}

}  // namespace loupe::numbers
