// SPDX-License-Identifier: Apache-2.0
#pragma once
// Functions about the gamma function, with PyTorch's values at the edges. Includes nothing of the engine: kernels of
// devices are made of them too.

#include "core/ops/special/series.h"

namespace loupe::special {

// ---- in the precision of the argument, as PyTorch computes them (Cephes' algorithms)

// Euler-Maclaurin summation; (2k)! / B_2k are its coefficients.
template <typename T>
LOUPE_HD T hurwitz_zeta(T x, T q) {
    static constexpr double kCoefficients[] = {12.0,
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
    if (x != x || q != q) return std::numeric_limits<T>::quiet_NaN();
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
    for (int i = 0; i < 12; ++i) {
        factor *= x + k;
        b /= w;
        const T term = factor * b / static_cast<T>(kCoefficients[i]);
        sum += term;
        if (std::abs(term / sum) < kSmall) return sum;
        k += 1;
        factor *= x + k;
        b /= w;
        k += 1;
    }
    return sum;
}

// Of a number above 0.
template <typename T>
LOUPE_HD T positive_digamma(T x) {
    // B_2k / 2k, highest power first.
    static constexpr double kCoefficients[] = {
        8.33333333333333333333e-2, -2.10927960927960927961e-2, 7.57575757575757575758e-3, -4.16666666666666666667e-3,
        3.96825396825396825397e-3, -8.33333333333333333333e-3, 8.33333333333333333333e-2};
    T sum = 0;
    while (x < 10) {
        sum -= 1 / x;
        x += 1;
    }
    if (x == 10) return sum + static_cast<T>(2.25175258906672110764);
    T tail = 0;
    if (x < T(1e17)) {
        const T z = 1 / (x * x);
        for (int i = 0; i < 7; ++i) tail = tail * z + static_cast<T>(kCoefficients[i]);
        tail *= z;
    }
    return sum + std::log(x) - T(0.5) / x - tail;
}
template <typename T>
LOUPE_HD T digamma(T x) {
    if (x == 0) return std::copysign(std::numeric_limits<T>::infinity(), -x);
    if (!(x < 0)) return positive_digamma(x);
    const double wide = static_cast<double>(x), rest = wide - std::trunc(wide);
    if (rest == 0) return std::numeric_limits<T>::quiet_NaN();
    return positive_digamma(1 - x) - static_cast<T>(kPi / std::tan(kPi * rest));
}

template <typename T>
LOUPE_HD T trigamma(T x) {
    T sign = 1, sum = 0;
    if (x < T(0.5)) {
        sign = -1;
        const T sine = std::sin(static_cast<T>(kPi) * x);
        sum -= static_cast<T>(kPi) * static_cast<T>(kPi) / (sine * sine);
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
LOUPE_HD T polygamma(int order, T x) {
    if (order == 0) return digamma(x);
    if (order == 1) return trigamma(x);
    const T factorial = std::exp(std::lgamma(static_cast<T>(order) + 1));
    return (order % 2 != 0 ? T(1) : T(-1)) * factorial * hurwitz_zeta(static_cast<T>(order + 1), x);
}

// ---- the incomplete gamma functions, as Cephes and SciPy compute them

// Lanczos' sum for the gamma function, scaled by exp(g).
LOUPE_HD inline double lanczos_sum(double x) {
    static constexpr double kAbove[] = {
        0.006061842346248906525783753964555936883222, 0.5098416655656676188125178644804694509993,
        19.51992788247617482847860966235652136208,    449.9445569063168119446858607650988409623,
        6955.999602515376140356310115515198987526,    75999.29304014542649875303443598909137092,
        601859.6171681098786670226533699352302507,    3481712.15498064590882071018964774556468,
        14605578.08768506808414169982791359218571,    43338889.32467613834773723740590533316085,
        86363131.28813859145546927288977868422342,    103794043.1163445451906271053616070238554,
        56906521.91347156388090791033559122686859};
    static constexpr double kBelow[] = {1.,        66.,        1925.,      32670.,     357423.,   2637558., 13339535.,
                                        45995730., 105258076., 150917976., 120543840., 39916800., 0.};
    if (x <= 1) return polynomial(x, kAbove) / polynomial(x, kBelow);
    double above = kAbove[12], below = kBelow[12];
    for (int i = 11; i >= 0; --i) {
        above = above / x + kAbove[i];
        below = below / x + kBelow[i];
    }
    return above / below;
}
// x^a exp(-x) / Gamma(a)
LOUPE_HD inline double gamma_factor(double a, double x) {
    constexpr double kG = 6.024680040776729583740234375, kE = 2.718281828459045, kLeast = -709.782712893383996843;
    if (std::abs(a - x) > 0.4 * std::abs(a)) {
        const double exponent = a * std::log(x) - x - std::lgamma(a);
        return exponent < kLeast ? 0 : std::exp(exponent);
    }
    const double shifted = a + kG - 0.5, scale = std::sqrt(shifted / kE) / lanczos_sum(a);
    if (a < 200 && x < 200) return scale * (std::exp(a - x) * std::pow(x / shifted, a));
    const double moved = (x - a - kG + 0.5) / shifted;
    return scale * std::exp(a * (std::log1p(moved) - moved) + x * (0.5 - kG) / shifted);
}

inline constexpr int kGammaSteps = 2000;
inline constexpr double kGammaSmall = 1.11022302462515654042e-16;

// P(a, x) by its power series.
LOUPE_HD inline double gamma_series(double a, double x) {
    const double factor = gamma_factor(a, x);
    if (factor == 0) return 0;
    double term = 1, sum = 1, r = a;
    for (int i = 0; i < kGammaSteps && term > kGammaSmall * sum; ++i) {
        r += 1;
        term *= x / r;
        sum += term;
    }
    return sum * factor / a;
}
// Q(a, x) by a power series, for small x.
LOUPE_HD inline double gamma_rest_series(double a, double x) {
    double factor = 1, sum = 0;
    for (int n = 1; n < kGammaSteps; ++n) {
        factor *= -x / n;
        const double term = factor / (a + n);
        sum += term;
        if (std::abs(term) <= kGammaSmall * std::abs(sum)) break;
    }
    const double log = std::log(x);
    return -std::expm1(a * log - std::lgamma(1 + a)) - std::exp(a * log - std::lgamma(a)) * sum;
}
// Q(a, x) by its continued fraction.
LOUPE_HD inline double gamma_rest_fraction(double a, double x) {
    constexpr double kBig = 4.503599627370496e15;
    const double scale = gamma_factor(a, x);
    if (scale == 0) return 0;
    double y = 1 - a, z = x + y + 1, c = 0;
    double p_before = 1, q_before = x, p = x + 1, q = z * x, value = p / q;
    for (int i = 0; i < kGammaSteps; ++i) {
        c += 1;
        y += 1;
        z += 2;
        const double p_next = p * z - p_before * (y * c), q_next = q * z - q_before * (y * c);
        double change = 1;
        if (q_next != 0) {
            const double next = p_next / q_next;
            change = std::abs((value - next) / next);
            value = next;
        }
        p_before = p;
        q_before = q;
        p = p_next;
        q = q_next;
        if (std::abs(p) > kBig) {
            p_before /= kBig;
            p /= kBig;
            q_before /= kBig;
            q /= kBig;
        }
        if (change <= kGammaSmall) break;
    }
    return value * scale;
}

// Of Temme's expansion: the coefficient of eta^n / a^k.
LOUPE_HD inline double temme_coefficient(int k, int n) {
    static constexpr double kTable[12][17] = {
        {-3.3333333333333333e-1, 8.3333333333333333e-2, -1.4814814814814815e-2, 1.1574074074074074e-3,
         3.527336860670194e-4, -1.7875514403292181e-4, 3.9192631785224378e-5, -2.1854485106799922e-6,
         -1.85406221071516e-6, 8.296711340953086e-7, -1.7665952736826079e-7, 6.7078535434014986e-9,
         1.0261809784240308e-8, -4.3820360184533532e-9, 9.1476995822367902e-10, -2.551419399494625e-11,
         -5.8307721325504251e-11},
        {-1.8518518518518519e-3, -3.4722222222222222e-3, 2.6455026455026455e-3, -9.9022633744855967e-4,
         2.0576131687242798e-4, -4.0187757201646091e-7, -1.8098550334489978e-5, 7.6491609160811101e-6,
         -1.6120900894563446e-6, 4.6471278028074343e-9, 1.378633446915721e-7, -5.752545603517705e-8,
         1.1951628599778147e-8, -1.7543241719747648e-11, -1.0091543710600413e-9, 4.1627929918425826e-10},
        {4.1335978835978836e-3, -2.6813271604938272e-3, 7.7160493827160494e-4, 2.0093878600823045e-6,
         -1.0736653226365161e-4, 5.2923448829120125e-5, -1.2760635188618728e-5, 3.4235787340961381e-8,
         1.3721957309062933e-6, -6.298992138380055e-7, 1.4280614206064242e-7, -2.0477098421990866e-10,
         -1.4092529910867521e-8, 6.228974084922022e-9, -1.3670488396617113e-9},
        {6.4943415637860082e-4, 2.2947209362139918e-4, -4.6918949439525571e-4, 2.6772063206283885e-4,
         -7.5618016718839764e-5, -2.3965051138672967e-7, 1.1082654115347302e-5, -5.6749528269915966e-6,
         1.4230900732435884e-6, -2.7861080291528142e-11, -1.6958404091930277e-7, 8.0994649053880824e-8,
         -1.9111168485973654e-8},
        {-8.618882909167117e-4, 7.8403922172006663e-4, -2.9907248030319018e-4, -1.4638452578843418e-6,
         6.6414982154651222e-5, -3.9683650471794347e-5, 1.1375726970678419e-5, 2.5074972262375328e-10,
         -1.6954149536558306e-6, 8.9075075322053097e-7, -2.2929348340008049e-7},
        {-3.3679855336635815e-4, -6.9728137583658578e-5, 2.7727532449593921e-4, -1.9932570516188848e-4,
         6.7977804779372078e-5, 1.419062920643967e-7, -1.3594048189768693e-5, 8.0184702563342015e-6,
         -2.2914811765080952e-6, -3.252473551298454e-10, 3.4652846491085265e-7},
        {5.3130793646399222e-4, -5.9216643735369388e-4, 2.7087820967180448e-4, 7.9023532326603279e-7,
         -8.1539693675619688e-5, 5.6116827531062497e-5, -1.8329116582843376e-5, -3.0796134506033048e-9,
         3.4651553688036091e-6, -2.0291327396058604e-6},
        {3.4436760689237767e-4, 5.1717909082605922e-5, -3.3493161081142236e-4, 2.812695154763237e-4,
         -1.0976582244684731e-4, -1.2741009095484485e-7, 2.7744451511563644e-5, -1.8263488805711333e-5,
         5.7876949497350524e-6},
        {-6.5262391859530942e-4, 8.3949872067208728e-4, -4.3829709854172101e-4, -6.969091458420552e-7,
         1.6644846642067548e-4, -1.2783517679769219e-4, 4.6299532636913043e-5},
        {-5.9676129019274625e-4, -7.2048954160200106e-5, 6.7823088376673284e-4, -6.4014752602627585e-4,
         2.7750107634328704e-4},
        {1.3324454494800656e-3, -1.9144384985654775e-3, 1.1089369134596637e-3},
        {1.579727660730835e-3, 1.6251626278391582e-4, -2.0633421035543276e-3}};
    return kTable[k][n];
}
// P(a, x) with sign -1, Q(a, x) with sign 1, where x is near a large a (DLMF 8.12.3).
LOUPE_HD inline double gamma_near(double a, double x, double sign) {
    const double moved = (x - a) / a;
    const double size = std::sqrt(-2 * (std::log1p(moved) - moved)), eta = moved < 0 ? -size : moved > 0 ? size : 0;
    double sum = 0, share = 1, last = kInfinity;
    for (int k = 0; k < 12; ++k) {
        double row = 0;
        for (int n = 16; n >= 0; --n) row = row * eta + temme_coefficient(k, n);
        const double term = row * share, change = std::abs(term);
        if (change > last) break;
        sum += term;
        if (change < kGammaSmall * std::abs(sum)) break;
        last = change;
        share /= a;
    }
    return 0.5 * std::erfc(sign * eta * std::sqrt(a / 2)) +
           sign * std::exp(-0.5 * a * eta * eta) * sum / std::sqrt(2 * kPi * a);
}
LOUPE_HD inline bool is_gamma_near(double a, double x) {
    const double apart = std::abs(x - a) / a;
    return (a > 20 && a < 200 && apart < 0.3) || (a > 200 && apart < 4.5 / std::sqrt(a));
}

// The values where a or x is at an end of its range; false inside.
LOUPE_HD inline bool gamma_at_edge(double a, double x, double& lower) {
    if (x < 0 || a < 0)
        lower = kNan;
    else if (a == 0)
        lower = x > 0 ? 1 : kNan;
    else if (x == 0)
        lower = 0;
    else if (std::isinf(a))
        lower = std::isinf(x) ? kNan : 0;
    else if (std::isinf(x))
        lower = 1;
    else if (a != a || x != x)
        lower = kNan;
    else
        return false;
    return true;
}
// The regularised upper incomplete gamma function.
LOUPE_HD inline double gamma_q(double a, double x) {
    double lower = 0;
    if (gamma_at_edge(a, x, lower)) return 1 - lower;
    if (is_gamma_near(a, x)) return gamma_near(a, x, 1);
    if (x > 1.1) return x < a ? 1 - gamma_series(a, x) : gamma_rest_fraction(a, x);
    const bool is_small = x <= 0.5 ? -0.4 / std::log(x) < a : x * 1.1 < a;
    return is_small ? 1 - gamma_series(a, x) : gamma_rest_series(a, x);
}
// The lower one.
LOUPE_HD inline double gamma_p(double a, double x) {
    double lower = 0;
    if (gamma_at_edge(a, x, lower)) return lower;
    if (is_gamma_near(a, x)) return gamma_near(a, x, -1);
    return x > 1 && x > a ? 1 - gamma_q(a, x) : gamma_series(a, x);
}

// How a sample x of the gamma distribution moves with its parameter when its quantile stays: -(dF/da) / (dF/dx), the
// first quotient by central differences of fourth order.
LOUPE_HD inline double gamma_slope(double alpha, double x) {
    if (x <= 0 || alpha <= 0) return 0;
    if (!(x < kInfinity && alpha < kInfinity)) return kNan;
    const double density = gamma_factor(alpha, x) / x, h = alpha * 1e-3;
    const bool upper = x > alpha;  // the smaller part keeps its digits
    const auto share = [&](double a) { return upper ? gamma_q(a, x) : gamma_p(a, x); };
    const double near = share(alpha + h) - share(alpha - h), far = share(alpha + 2 * h) - share(alpha - 2 * h);
    const double slope = (8 * near - far) / (12 * h);
    return (upper ? slope : -slope) / density;
}

}  // namespace loupe::special
