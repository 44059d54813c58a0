// SPDX-License-Identifier: Apache-2.0
#pragma once
// A Python number: bool, int, float or complex.

#include <complex>
#include <cstdint>
#include <string>

#include "core/tensor/scalar_type.h"

namespace loupe {

class Scalar {
  public:
    enum class Kind : std::int8_t { Bool, Int, Double, Complex };

    Scalar() : Scalar(std::int64_t{0}) {}
    Scalar(bool value) : integer_(value ? 1 : 0), kind_(Kind::Bool) {}
    Scalar(int value) : integer_(value), kind_(Kind::Int) {}
    Scalar(std::int64_t value) : integer_(value), kind_(Kind::Int) {}
    Scalar(double value) : real_(value), kind_(Kind::Double) {}
    Scalar(std::complex<double> value) : real_(value.real()), imaginary_(value.imag()), kind_(Kind::Complex) {}

    Kind kind() const { return kind_; }
    bool is_integral() const { return kind_ == Kind::Bool || kind_ == Kind::Int; }
    bool is_complex() const { return kind_ == Kind::Complex; }
    // bool, int64, float64 or complex128.
    ScalarType dtype() const;

    double to_double() const { return is_integral() ? static_cast<double>(integer_) : real_; }
    std::int64_t to_int() const { return is_integral() ? integer_ : static_cast<std::int64_t>(real_); }
    bool to_bool() const { return is_integral() ? integer_ != 0 : (real_ != 0 || imaginary_ != 0); }
    std::complex<double> to_complex() const { return {to_double(), imaginary_}; }
    // As an element of the type, with C's conversion.
    template <typename T>
    T to() const {
        if constexpr (loupe::is_complex(scalar_type_of<T>)) {
            return T(to_complex());
        } else if constexpr (std::is_same_v<T, bool>) {
            return to_bool();
        } else if constexpr (std::is_same_v<T, std::uint64_t>) {
            return !is_integral() && real_ >= 0x1p63 ? static_cast<T>(real_) : static_cast<T>(to_int());
        } else if constexpr (std::is_integral_v<T>) {
            return static_cast<T>(to_int());
        } else {
            return T(static_cast<std::conditional_t<std::is_same_v<T, double>, double, float>>(to_double()));
        }
    }
    Scalar operator-() const;
    bool equals(double value) const { return imaginary_ == 0 && to_double() == value; }

  private:
    union {
        std::int64_t integer_;
        double real_;
    };
    double imaginary_ = 0;
    Kind kind_;
};

}  // namespace loupe
