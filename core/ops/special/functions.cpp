// SPDX-License-Identifier: Apache-2.0
#include "core/ops/special/functions.h"

#include <boost/math/special_functions/airy.hpp>
#include <boost/math/special_functions/bessel.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <limits>
#include <numbers>

namespace loupe::special {
namespace {

namespace math = boost::math;
using Quiet = math::policies::policy<math::policies::domain_error<math::policies::ignore_error>,
                                     math::policies::pole_error<math::policies::ignore_error>,
                                     math::policies::overflow_error<math::policies::ignore_error>,
                                     math::policies::evaluation_error<math::policies::ignore_error>,
                                     math::policies::promote_double<false>>;

using std::numbers::pi;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kLargestExponent = 709.78;  // exp() overflows above
constexpr double kLarge = 500;  // from here on, asymptotic series of Bessel functions are exact to the last bits

// Abramowitz & Stegun 9.7.1 and 9.7.2 without the exponential: sum of (-+1)^k a_k(order) / x^k.
double asymptotic_bessel(int order, double x, double sign) {
    double term = 1, sum = 1;
    for (int k = 1; k < 12; ++k) {
        const double odd = 2 * k - 1;
        term *= sign * (4.0 * order * order - odd * odd) / (8 * k * x);
        sum += term;
    }
    return sum;
}
double scaled_i(int order, double x) {
    return x < kLarge ? std::exp(-x) * math::cyl_bessel_i(order, x, Quiet())
                      : asymptotic_bessel(order, x, -1) / std::sqrt(2 * pi * x);
}
double scaled_k(int order, double x) {
    if (std::isnan(x) || x < 0) return kNan;
    if (x == 0) return kInfinity;
    return x < kLarge ? std::exp(x) * math::cyl_bessel_k(order, x, Quiet())
                      : asymptotic_bessel(order, x, 1) * std::sqrt(pi / (2 * x));
}
double bessel_k(int order, double x) {
    if (std::isnan(x) || x < 0) return kNan;
    if (x == 0) return kInfinity;
    return x < 745 ? math::cyl_bessel_k(order, x, Quiet()) : 0.0;
}
double bessel_y(int order, double x) {
    if (std::isnan(x) || x < 0) return kNan;
    if (x == 0) return -kInfinity;
    return std::isinf(x) ? kNan : math::cyl_neumann(order, x, Quiet());
}

}  // namespace

double airy_ai(double x) {
    if (std::isnan(x) || std::isinf(x)) return kNan;
    // Boost leaves out the first-order term here.
    if (std::abs(x) < 1e-3)
        return 0.355028053887817239 * (1 + x * x * x / 6) - 0.258819403792806798 * x * (1 + x * x * x / 12);
    return x > 103.892 ? 0.0 : math::airy_ai(x, Quiet());
}
double bessel_j0(double x) {
    return std::isnan(x) || std::isinf(x) ? kNan : math::cyl_bessel_j(0, std::abs(x), Quiet());
}
double bessel_j1(double x) {
    if (std::isnan(x) || std::isinf(x)) return kNan;
    return std::copysign(1.0, x) * math::cyl_bessel_j(1, std::abs(x), Quiet());
}
double bessel_y0(double x) { return bessel_y(0, x); }
double bessel_y1(double x) { return bessel_y(1, x); }
double modified_bessel_i0(double x) {
    if (std::isnan(x) || std::isinf(x)) return kNan;
    const double magnitude = std::abs(x);
    return magnitude > kLargestExponent ? kInfinity : math::cyl_bessel_i(0, magnitude, Quiet());
}
double modified_bessel_i1(double x) {
    if (std::isnan(x) || std::isinf(x)) return kNan;
    const double magnitude = std::abs(x);
    return std::copysign(magnitude > kLargestExponent ? kInfinity : math::cyl_bessel_i(1, magnitude, Quiet()), x);
}
double modified_bessel_k0(double x) { return bessel_k(0, x); }
double modified_bessel_k1(double x) { return bessel_k(1, x); }
double scaled_bessel_i0(double x) { return std::isnan(x) ? x : scaled_i(0, std::abs(x)); }
double scaled_bessel_i1(double x) { return std::isnan(x) ? x : std::copysign(scaled_i(1, std::abs(x)), x); }
double scaled_bessel_k0(double x) { return scaled_k(0, x); }
double scaled_bessel_k1(double x) { return scaled_k(1, x); }

double spherical_bessel_j0(double x) {
    if (std::isinf(x)) return 0;
    return std::abs(x) < 1e-4 ? 1 - x * x / 6 : std::sin(x) / x;
}

double inverse_erf(double x) {
    if (std::isnan(x) || std::abs(x) > 1) return kNan;
    return std::abs(x) == 1 ? std::copysign(kInfinity, x) : math::erf_inv(x, Quiet());
}
double scaled_erfc(double x) {
    if (std::isnan(x)) return x;
    if (x < 50) {
        const long double wide = x;
        return static_cast<double>(std::exp(wide * wide) * std::erfc(wide));
    }
    const double r = 1 / (x * x);
    return (1 - r * (0.5 - r * (0.75 - r * 1.875))) / (x * std::sqrt(pi));
}
double log_normal_cdf(double x) {
    const double t = x / std::numbers::sqrt2;
    return x < -1 ? std::log(scaled_erfc(-t) / 2) - t * t : std::log1p(-std::erfc(t) / 2);
}
double inverse_normal_cdf(double p) {
    if (std::isnan(p) || p < 0 || p > 1) return kNan;
    if (p == 0 || p == 1) return p == 0 ? -kInfinity : kInfinity;
    return -std::numbers::sqrt2 * math::erfc_inv(2 * p, Quiet());
}
double entropy(double x) {
    if (std::isnan(x)) return x;
    if (x > 0) return -x * std::log(x);
    return x == 0 ? 0.0 : -kInfinity;
}
double x_log1p_y(double x, double y) {
    if (std::isnan(y)) return kNan;
    return x == 0 ? 0.0 : x * std::log1p(y);
}

double gamma_p(double a, double x) {
    if (x < 0 || a < 0) return kNan;
    if (a == 0) return x > 0 ? 1 : kNan;
    if (x == 0) return 0;
    if (std::isinf(a)) return std::isinf(x) ? kNan : 0;
    if (std::isinf(x)) return 1;
    return std::isnan(a) || std::isnan(x) ? kNan : math::gamma_p(a, x, Quiet());
}
double gamma_q(double a, double x) {
    if (x < 0 || a < 0) return kNan;
    if (a == 0) return x > 0 ? 0 : kNan;
    if (x == 0) return 1;
    if (std::isinf(a)) return std::isinf(x) ? kNan : 1;
    if (std::isinf(x)) return 0;
    return std::isnan(a) || std::isnan(x) ? kNan : math::gamma_q(a, x, Quiet());
}

// Euler-Maclaurin summation; (2k)! / B_2k are its coefficients.
template <typename T>
T hurwitz_zeta(T x, T q) {
    constexpr double kCoefficients[] = {12.0,
                                        -720.0,
                                        30240.0,
                                        -1209600.0,
                                        47900160.0,
                                        -1.8924375803183791606e9,
                                        7.47242496e10,
                                        -2.950130727918164224e12,
                                        1.1646782814350067249e14,
                                        -4.5979787224074726105e15,
                                        1.8152105401943546773e17,
                                        -7.1661652561756670113e18};
    constexpr T kSmall = static_cast<T>(1.11022302462515654042e-16);
    if (x == 1) return std::numeric_limits<T>::infinity();
    if (x < 1) return std::numeric_limits<T>::quiet_NaN();
    if (q <= 0) {
        if (q == std::floor(q)) return std::numeric_limits<T>::infinity();
        if (x != std::floor(x) || q < T(-1e8)) return std::numeric_limits<T>::quiet_NaN();
    }
    if (std::isnan(x) || std::isnan(q)) return std::numeric_limits<T>::quiet_NaN();
    T sum = std::pow(q, -x);
    T a = q, b = 0;
    for (int i = 0; i < 9 || a <= 9; ++i) {
        a += 1;
        b = std::pow(a, -x);
        sum += b;
        if (-kSmall * sum < b && b < kSmall * sum) return sum;
    }
    const T w = a;
    sum += b * w / (x - 1) - T(0.5) * b;
    T factor = 1, k = 0;
    for (const double coefficient : kCoefficients) {
        factor *= x + k;
        b /= w;
        const T term = factor * b / static_cast<T>(coefficient);
        sum += term;
        if (std::abs(term / sum) < kSmall) return sum;
        k += 1;
        factor *= x + k;
        b /= w;
        k += 1;
    }
    return sum;
}

template <typename T>
T digamma(T x) {
    if (x == 0) return std::copysign(std::numeric_limits<T>::infinity(), -x);
    if (x < 0) {
        if (x == std::trunc(x)) return std::numeric_limits<T>::quiet_NaN();
        double whole = 0;
        const double rest = std::modf(static_cast<double>(x), &whole);
        return digamma(1 - x) - static_cast<T>(pi / std::tan(pi * rest));
    }
    T sum = 0;
    while (x < 10) {
        sum -= 1 / x;
        x += 1;
    }
    if (x == 10) return sum + static_cast<T>(2.25175258906672110764);
    // B_2k / 2k, highest power first.
    constexpr double kCoefficients[] = {
        8.33333333333333333333e-2, -2.10927960927960927961e-2, 7.57575757575757575758e-3, -4.16666666666666666667e-3,
        3.96825396825396825397e-3, -8.33333333333333333333e-3, 8.33333333333333333333e-2};
    T tail = 0;
    if (x < T(1e17)) {
        const T z = 1 / (x * x);
        for (const double c : kCoefficients) tail = tail * z + static_cast<T>(c);
        tail *= z;
    }
    return sum + std::log(x) - T(0.5) / x - tail;
}

template <typename T>
T trigamma(T x) {
    T sign = 1, sum = 0;
    if (x < T(0.5)) {
        sign = -1;
        const T sine = std::sin(static_cast<T>(pi) * x);
        sum -= static_cast<T>(pi) * static_cast<T>(pi) / (sine * sine);
        x = 1 - x;
    }
    for (int i = 0; i < 6; ++i) {
        sum += 1 / (x * x);
        x += 1;
    }
    const T z = 1 / (x * x);
    sum += (1 + 1 / (2 * x) + z * (T(1) / 6 - z * (T(1) / 30 - z * (T(1) / 42)))) / x;
    return sign * sum;
}

template <typename T>
T polygamma(int order, T x) {
    if (order == 0) return digamma(x);
    if (order == 1) return trigamma(x);
    const T factorial = std::exp(std::lgamma(static_cast<T>(order) + 1));
    return (order % 2 != 0 ? T(1) : T(-1)) * factorial * hurwitz_zeta(static_cast<T>(order + 1), x);
}

template float hurwitz_zeta(float, float);
template double hurwitz_zeta(double, double);
template float digamma(float);
template double digamma(double);
template float trigamma(float);
template double trigamma(double);
template float polygamma(int, float);
template double polygamma(int, double);

}  // namespace loupe::special
