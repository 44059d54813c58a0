// SPDX-License-Identifier: Apache-2.0
#pragma once
// Arithmetic on tensors through the dispatcher, so that derivatives read as formulas:
//
//     using namespace arithmetic;
//     context.grad(0, [&] { return context.grad_output() * (1 - y * y); });

#include "core/dispatch/functions.h"

namespace loupe::arithmetic {

inline Tensor operator+(const Tensor& a, const Tensor& b) { return fn::add(a, b, Scalar(1)); }
inline Tensor operator+(const Tensor& a, const Scalar& b) { return fn::add_scalar(a, b, Scalar(1)); }
inline Tensor operator+(const Scalar& a, const Tensor& b) { return fn::add_scalar(b, a, Scalar(1)); }
inline Tensor operator-(const Tensor& a, const Tensor& b) { return fn::sub(a, b, Scalar(1)); }
inline Tensor operator-(const Tensor& a, const Scalar& b) { return fn::sub_scalar(a, b, Scalar(1)); }
inline Tensor operator-(const Scalar& a, const Tensor& b) { return fn::rsub_scalar(b, a, Scalar(1)); }
inline Tensor operator-(const Tensor& a) { return fn::neg(a); }
inline Tensor operator*(const Tensor& a, const Tensor& b) { return fn::mul(a, b); }
inline Tensor operator*(const Tensor& a, const Scalar& b) { return fn::mul_scalar(a, b); }
inline Tensor operator*(const Scalar& a, const Tensor& b) { return fn::mul_scalar(b, a); }
inline Tensor operator/(const Tensor& a, const Tensor& b) { return fn::div(a, b); }
inline Tensor operator/(const Tensor& a, const Scalar& b) { return fn::div_scalar(a, b); }
inline Tensor operator/(const Scalar& a, const Tensor& b) { return fn::mul_scalar(fn::reciprocal(b), a); }

// The conjugate; the tensor itself when it is real.
inline Tensor conj(const Tensor& t) { return is_complex(t.dtype()) ? fn::conj_physical(t) : t; }
// t * scale, t itself for scale 1.
inline Tensor scaled(const Tensor& t, const Scalar& scale) { return scale.equals(1) ? t : fn::mul_scalar(t, scale); }
inline Scalar conj(const Scalar& s) { return s.is_complex() ? Scalar(std::conj(s.to_complex())) : s; }
// t where the condition holds, 0 elsewhere.
inline Tensor keep_where(const Tensor& t, const Tensor& condition) {
    return fn::where_scalar_other(condition, t, Scalar(0));
}

}  // namespace loupe::arithmetic
