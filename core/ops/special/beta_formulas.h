// SPDX-License-Identifier: Apache-2.0
#pragma once
// The incomplete beta function. Includes nothing of the engine: kernels of devices are made of it too.

#include "core/ops/special/series.h"

namespace loupe::special {

// x^a (1 - x)^b / B(a, b)
LOUPE_HD inline double beta_factor(double a, double b, double x) {
    return std::exp(a * std::log(x) + b * std::log1p(-x) + std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b));
}
// Its continued fraction (DLMF 8.17.22) by Lentz's method, for x below (a + 1) / (a + b + 2).
LOUPE_HD inline double beta_fraction(double a, double b, double x) {
    constexpr double kTiny = 1e-300;
    constexpr int kMost = 10000;
    const auto apart = [](double v) { return std::abs(v) < kTiny ? kTiny : v; };
    double c = 1, d = 1 / apart(1 - (a + b) * x / (a + 1)), value = d;
    for (int m = 1; m < kMost; ++m) {
        const double twice = 2.0 * m;
        const double even = m * (b - m) * x / ((a + twice - 1) * (a + twice));
        d = 1 / apart(1 + even * d);
        c = apart(1 + even / c);
        value *= d * c;
        const double odd = -(a + m) * (a + b + m) * x / ((a + twice) * (a + twice + 1));
        d = 1 / apart(1 + odd * d);
        c = apart(1 + odd / c);
        value *= d * c;
        if (std::abs(d * c - 1) < 1e-16) break;
    }
    return value;
}
// The regularised incomplete beta function at 0 < x < 1, or what it lacks to 1.
LOUPE_HD inline double beta_share(double a, double b, double x, bool upper) {
    const bool is_low = x < (a + 1) / (a + b + 2);
    const double part = is_low ? beta_factor(a, b, x) * beta_fraction(a, b, x) / a
                               : beta_factor(a, b, x) * beta_fraction(b, a, 1 - x) / b;
    return is_low == upper ? 1 - part : part;
}

// How a share x of a Dirichlet distribution moves with its parameter alpha, of parameters that sum up to total:
// -(dF/da) / (dF/dx) / (1 - x) of the beta distribution, the first quotient by central differences of fourth order.
LOUPE_HD inline double beta_slope(double x, double alpha, double total) {
    const double beta = total - alpha;
    if (x <= 0 || x >= 1) return 0;
    if (!(x < 1 && alpha > 0 && beta > 0 && total < kInfinity)) return kNan;  // no such distribution
    const double density = beta_factor(alpha, beta, x) / (x * (1 - x)), h = alpha * 1e-3;
    const bool upper = x > alpha / total;  // the smaller part keeps its digits
    const auto share = [&](double a) { return beta_share(a, beta, x, upper); };
    const double near = share(alpha + h) - share(alpha - h), far = share(alpha + 2 * h) - share(alpha - 2 * h);
    const double slope = (8 * near - far) / (12 * h);
    return (upper ? slope : -slope) / density / (1 - x);
}

}  // namespace loupe::special
