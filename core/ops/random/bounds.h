// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a dtype holds of the numbers that are drawn.

#include <limits>
#include <type_traits>

#include "core/tensor/scalar.h"
#include "core/tensor/tensor.h"

namespace loupe::drawing {

// Bits of the significand.
template <typename T>
constexpr int digits_of() {
    if constexpr (std::is_same_v<T, Half>)
        return 11;
    else if constexpr (std::is_same_v<T, BFloat16>)
        return 8;
    else
        return std::numeric_limits<T>::digits;
}

template <typename T>
T element_of(double value) {
    return Scalar(value).to<T>();
}

// Bounds [from, to) of whole numbers for a tensor's dtype. One that it cannot hold is Error (Run) for integers; for
// floating point numbers it moves inward to one that it can, so that rounding does not leave [from, to).
void fit_bounds(const Tensor& self, std::int64_t& from, std::int64_t& to);

}  // namespace loupe::drawing
