// SPDX-License-Identifier: Apache-2.0
#pragma once
// c10::Scalar: one number.

#include <complex>
#include <concepts>
#include <ostream>
#include <type_traits>

#include "core/tensor/scalar.h"

#include <loupe_torch/types.h>

namespace at {
class Tensor;
}

namespace c10 {

class Scalar {
  public:
    Scalar() = default;
    Scalar(bool value) : value_(value) {}
    template <std::integral T>
    requires(!std::same_as<T, bool>) Scalar(T value) : value_(static_cast<std::int64_t>(value)) {}
    template <std::floating_point T>
    Scalar(T value) : value_(static_cast<double>(value)) {}
    Scalar(Half value) : value_(static_cast<double>(static_cast<float>(value))) {}
    Scalar(BFloat16 value) : value_(static_cast<double>(static_cast<float>(value))) {}
    template <typename T>
    Scalar(std::complex<T> value) : value_(std::complex<double>(value)) {}
    Scalar(const loupe::Scalar& value) : value_(value) {}

    bool isFloatingPoint() const { return value_.kind() == loupe::Scalar::Kind::Double; }
    bool isComplex() const { return value_.is_complex(); }
    bool isBoolean() const { return value_.kind() == loupe::Scalar::Kind::Bool; }
    bool isIntegral(bool include_bool) const {
        return value_.kind() == loupe::Scalar::Kind::Int || (include_bool && isBoolean());
    }
    ScalarType type() const { return static_cast<ScalarType>(value_.dtype()); }

    template <typename T>
    T to() const {
        return value_.to<T>();
    }
    double toDouble() const { return to<double>(); }
    float toFloat() const { return to<float>(); }
    std::int64_t toLong() const { return to<std::int64_t>(); }
    int toInt() const { return to<int>(); }
    bool toBool() const { return to<bool>(); }
    std::complex<double> toComplexDouble() const { return value_.to_complex(); }
    Scalar operator-() const { return -value_; }
    bool equal(double other) const { return value_.equals(other); }

    const loupe::Scalar& engine() const { return value_; }

  private:
    loupe::Scalar value_;
};
std::ostream& operator<<(std::ostream& out, const Scalar& scalar);

}  // namespace c10

namespace at {
using c10::Scalar;
}
