// SPDX-License-Identifier: Apache-2.0
#pragma once
// Functions about the error function and the normal distribution, entropy. Includes nothing of the engine: kernels of
// devices are made of them too.

#include "core/ops/special/series.h"

namespace loupe::special {

// A rational approximation (Giles's central and tail forms as in PyTorch), made exact by two of Newton's steps.
LOUPE_HD inline double inverse_erf(double y) {
    static constexpr double kA[] = {-0.140543331, 0.914624893, -1.645349621, 0.886226899};
    static constexpr double kB[] = {0.012229801, -0.329097515, 1.442710462, -2.118377725, 1};
    static constexpr double kC[] = {1.641345311, 3.429567803, -1.624906493, -1.970840454};
    static constexpr double kD[] = {1.637067800, 3.543889200, 1};
    constexpr double kSlopeAtZero = 1.12837916709551257390;  // 2 / sqrt(pi)
    const double size = std::abs(y);
    if (!(size <= 1)) return kNan;
    if (size == 1) return std::copysign(kInfinity, y);
    double x = 0;
    if (size <= 0.7) {
        const double z = y * y;
        x = y * polynomial(z, kA) / polynomial(z, kB);
    } else {
        const double z = std::sqrt(-std::log((1 - size) / 2));
        x = std::copysign(polynomial(z, kC), y) / polynomial(z, kD);
    }
    for (int i = 0; i < 2; ++i) x -= (std::erf(x) - y) / (kSlopeAtZero * std::exp(-x * x));
    return x;
}

// exp(x^2) erfc(x)
LOUPE_HD inline double scaled_erfc(double x) {
    if (x != x) return x;
    if (x < -26.7) return kInfinity;
    const double square = x * x;
    if (x < 25) return std::exp(square) * (1 + std::fma(x, x, -square)) * std::erfc(x);
    // The asymptotic series, exact from here on.
    static constexpr double kSeries[] = {10395.0 / 64, -945.0 / 32, 105.0 / 16, -15.0 / 8, 0.75, -0.5, 1};
    return polynomial(1 / square, kSeries) * 0.56418958354775628694807945156 / x;
}

LOUPE_HD inline double log_normal_cdf(double x) {
    const double t = x * 0.70710678118654752440;
    return x < -1 ? std::log(scaled_erfc(-t) / 2) - t * t : std::log1p(-std::erfc(t) / 2);
}

// Cephes' ndtri.
LOUPE_HD inline double inverse_normal_cdf(double p) {
    static constexpr double kP0[] = {-5.99633501014107895267e1, 9.80010754185999661536e1, -5.66762857469070293439e1,
                                     1.39312609387279679503e1, -1.23916583867381258016};
    static constexpr double kQ0[] = {1.00000000000000000000,    1.95448858338141759834,    4.67627912898881538453,
                                     8.63602421390890590575e1,  -2.25462687854119370527e2, 2.00260212380060660359e2,
                                     -8.20372256168333339912e1, 1.59056225126211695515e1,  -1.18331621121330003142};
    static constexpr double kP1[] = {
        4.05544892305962419923,     3.15251094599893866154e1,   5.71628192246421288162e1,
        4.40805073893200834700e1,   1.46849561928858024014e1,   2.18663306850790267539,
        -1.40256079171354495875e-1, -3.50424626827848203418e-2, -8.57456785154685413611e-4};
    static constexpr double kQ1[] = {
        1.00000000000000000000,     1.57799883256466749731e1,   4.53907635128879210584e1,
        4.13172038254672030440e1,   1.50425385692907503408e1,   2.50464946208309415979,
        -1.42182922854787788574e-1, -3.80806407691578277194e-2, -9.33259480895457427372e-4};
    static constexpr double kP2[] = {3.23774891776946035970,    6.91522889068984211695,    3.93881025292474443415,
                                     1.33303460815807542389,    2.01485389549179081538e-1, 1.23716634817820021358e-2,
                                     3.01581553508235416007e-4, 2.65806974686737550832e-6, 6.23974539184983293730e-9};
    static constexpr double kQ2[] = {1.00000000000000000000,    6.02427039364742014255,    3.67983563856160859403,
                                     1.37702099489081330271,    2.16236993594496635890e-1, 1.34204006088543189037e-2,
                                     3.28014464682127739104e-4, 2.89247864745380683936e-6, 6.79019408009981274425e-9};
    constexpr double kTail = 0.13533528323661269189;  // exp(-2)
    if (p == 0 || p == 1) return p == 0 ? -kInfinity : kInfinity;
    if (!(p > 0 && p < 1)) return kNan;
    const bool is_upper = p > 1 - kTail;
    const double y = is_upper ? 1 - p : p;
    if (y > kTail) {
        const double centred = y - 0.5, square = centred * centred;
        return (centred + centred * (square * polynomial(square, kP0) / polynomial(square, kQ0))) *
               2.50662827463100050242;  // sqrt(2 pi)
    }
    const double x = std::sqrt(-2 * std::log(y)), z = 1 / x;
    const double correction =
        x < 8 ? z * polynomial(z, kP1) / polynomial(z, kQ1) : z * polynomial(z, kP2) / polynomial(z, kQ2);
    const double size = x - std::log(x) / x - correction;
    return is_upper ? size : -size;
}

// -x ln(x)
LOUPE_HD inline double entropy(double x) {
    if (x != x) return x;
    if (x > 0) return -x * std::log(x);
    return x == 0 ? 0.0 : -kInfinity;
}
// 0 where x is 0, unless y is NaN.
LOUPE_HD inline double x_log1p_y(double x, double y) {
    if (y != y) return kNan;
    return x == 0 ? 0.0 : x * std::log1p(y);
}

}  // namespace loupe::special
