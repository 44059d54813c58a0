// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sums of polynomials, for formulas of special functions. Includes nothing of the engine.

#include <cmath>
#include <cstdint>
#include <limits>

#include "core/base/host_device.h"

namespace loupe::special {

inline constexpr double kPi = 3.14159265358979323846;
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// The highest power's coefficient first.
template <int kCount>
LOUPE_HD double polynomial(double x, const double (&coefficients)[kCount]) {
    double sum = coefficients[0];
    for (int i = 1; i < kCount; ++i) sum = sum * x + coefficients[i];
    return sum;
}

// A series of Chebyshev polynomials at x / 2, the highest first and twice the last (Clenshaw's sum, as in Cephes).
template <int kCount>
LOUPE_HD double chebyshev_series(double x, const double (&coefficients)[kCount]) {
    double now = coefficients[0], before = 0, twice_before = 0;
    for (int i = 1; i < kCount; ++i) {
        twice_before = before;
        before = now;
        now = x * before - twice_before + coefficients[i];
    }
    return 0.5 * (now - twice_before);
}

}  // namespace loupe::special
