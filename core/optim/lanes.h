// SPDX-License-Identifier: Apache-2.0
#pragma once
// Updates of optimisers are written for one element. On the host they run on numbers, in one pass; on another device on
// Lanes: the same text makes operators on whole tensors, which that device runs.

#include <cmath>

#include "core/dispatch/functions.h"
#include "core/tensor/tensor.h"

namespace loupe::optim {

// What a comparison of Lanes gives: a bool an element.
class LaneMask {
  public:
    explicit LaneMask(Tensor t) : t_(std::move(t)) {}
    const Tensor& tensor() const { return t_; }
    friend LaneMask operator||(const LaneMask& a, const LaneMask& b) { return LaneMask(fn::logical_or(a.t_, b.t_)); }

  private:
    Tensor t_;
};

// One number an element of a tensor, or the same number for all. Number: float or double.
template <typename Number>
class Lanes {
  public:
    Lanes() = default;
    explicit Lanes(double number) : number_(static_cast<Number>(number)) {}
    explicit Lanes(Tensor t) : t_(std::move(t)) {}

    const Tensor& tensor() const { return t_; }
    bool is_number() const { return !t_.defined(); }
    // A number as a tensor, which stands beside those of any device.
    Tensor operand() const { return t_.defined() ? t_ : scalar_tensor(scalar(), scalar_type_of<Number>); }
    Scalar scalar() const { return static_cast<double>(number_); }

    friend Lanes operator+(const Lanes& a, const Lanes& b) {
        if (a.is_number() && b.is_number()) return of(a.number_ + b.number_);
        return Lanes(a.is_number() ? fn::add(b.t_, a.operand()) : fn::add(a.t_, b.operand()));
    }
    friend Lanes operator-(const Lanes& a, const Lanes& b) {
        if (a.is_number() && b.is_number()) return of(a.number_ - b.number_);
        return Lanes(fn::sub(a.operand(), b.operand()));
    }
    friend Lanes operator*(const Lanes& a, const Lanes& b) {
        if (a.is_number() && b.is_number()) return of(a.number_ * b.number_);
        return Lanes(a.is_number() ? fn::mul(b.t_, a.operand()) : fn::mul(a.t_, b.operand()));
    }
    friend Lanes operator/(const Lanes& a, const Lanes& b) {
        if (a.is_number() && b.is_number()) return of(a.number_ / b.number_);
        return Lanes(fn::div(a.operand(), b.operand()));
    }
    Lanes& operator+=(const Lanes& other) { return *this = *this + other; }
    Lanes& operator-=(const Lanes& other) { return *this = *this - other; }
    Lanes& operator*=(const Lanes& other) { return *this = *this * other; }

    friend LaneMask operator>(const Lanes& a, const Lanes& b) { return LaneMask(fn::gt(a.operand(), b.operand())); }
    friend LaneMask operator<(const Lanes& a, const Lanes& b) { return LaneMask(fn::lt(a.operand(), b.operand())); }
    friend LaneMask operator!=(const Lanes& a, const Lanes& b) { return LaneMask(fn::ne(a.operand(), b.operand())); }
    friend LaneMask operator>(const Lanes& a, int b) { return a > Lanes(static_cast<double>(b)); }
    friend LaneMask operator<(const Lanes& a, int b) { return a < Lanes(static_cast<double>(b)); }

    friend Lanes square_root(const Lanes& x) { return Lanes(fn::sqrt(x.operand())); }
    friend Lanes magnitude(const Lanes& x) { return Lanes(fn::abs(x.operand())); }
    friend Lanes choose(const LaneMask& mask, const Lanes& yes, const Lanes& no) {
        return Lanes(fn::where(mask.tensor(), yes.operand(), no.operand()));
    }

  private:
    static Lanes of(Number number) { return Lanes(static_cast<double>(number)); }

    Tensor t_;  // undefined: the number
    Number number_ = 0;
};

inline float square_root(float x) { return std::sqrt(x); }
inline double square_root(double x) { return std::sqrt(x); }
inline float magnitude(float x) { return std::abs(x); }
inline double magnitude(double x) { return std::abs(x); }
template <typename T>
T choose(bool condition, const T& yes, const T& no) {
    return condition ? yes : no;
}

}  // namespace loupe::optim
