// SPDX-License-Identifier: Apache-2.0
#pragma once
// Arithmetic on complex numbers of two halves, computed in float.

#include <complex>

#include "core/tensor/half.h"

namespace loupe {

inline ComplexHalf operator+(ComplexHalf a, ComplexHalf b) {
    return ComplexHalf(std::complex<float>(a) + std::complex<float>(b));
}
inline ComplexHalf operator*(ComplexHalf a, ComplexHalf b) {
    return ComplexHalf(std::complex<float>(a) * std::complex<float>(b));
}

}  // namespace loupe
