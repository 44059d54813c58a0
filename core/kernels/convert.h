// SPDX-License-Identifier: Apache-2.0
#pragma once
// Copying elements with conversion between any two dtypes and any strides.

#include <cstdint>

#include "core/tensor/tensor.h"

namespace loupe {

// to[i * to_stride] = from[i * from_stride] for i < n; strides in bytes. Conversions are C's, with PyTorch's
// additions: complex to real drops the imaginary part, anything to bool is != 0, floating to integers goes over int64;
// what is beyond its range goes to uint64 as it is.
using ConvertFunction = void (*)(const void* from, std::int64_t from_stride, void* to, std::int64_t to_stride,
                                 std::int64_t n);
ConvertFunction convert_function(ScalarType from, ScalarType to);

// to = from for tensors of any strides, from broadcast to to's shape.
void convert_elements(const Tensor& to, const Tensor& from);

// Contiguous arrays, by hardware conversion where available.
void convert_half(const Half* from, float* to, std::int64_t n);
void convert_half(const float* from, Half* to, std::int64_t n);

// Of 16 or 8 bits: a struct that converts to float and from it.
template <typename T>
inline constexpr bool kIsShortFloat = is_floating(scalar_type_of<T>) && !std::is_floating_point_v<T>;

template <typename To, typename From>
To convert_element(From value) {
    constexpr bool kFromComplex = is_complex(scalar_type_of<From>);
    if constexpr (std::is_same_v<To, From>) {
        return value;
    } else if constexpr (std::is_same_v<To, bool>) {
        if constexpr (kFromComplex)
            return value.real() != 0 || value.imag() != 0;
        else
            return static_cast<std::conditional_t<std::is_integral_v<From>, From, double>>(value) != 0;
    } else if constexpr (is_complex(scalar_type_of<To>)) {
        using Real = typename To::value_type;
        if constexpr (kFromComplex)
            return To(convert_element<Real>(value.real()), convert_element<Real>(value.imag()));
        else
            return To(convert_element<Real>(value), Real(0));
    } else if constexpr (kFromComplex) {
        return convert_element<To>(value.real());
    } else if constexpr (kIsShortFloat<From>) {
        return convert_element<To>(static_cast<float>(value));
    } else if constexpr (kIsShortFloat<To>) {
        return To(static_cast<float>(value));
    } else if constexpr (std::is_floating_point_v<From> && std::is_same_v<To, std::uint64_t>) {
        return value >= From(0x1p63) ? static_cast<To>(value) : static_cast<To>(static_cast<std::int64_t>(value));
    } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
        return static_cast<To>(static_cast<std::int64_t>(value));
    } else {
        return static_cast<To>(value);
    }
}

}  // namespace loupe
