// SPDX-License-Identifier: Apache-2.0
#pragma once
// Special functions of real numbers, with PyTorch's values at the edges. Boost.Math computes those that it has.

namespace loupe::special {

double airy_ai(double x);
double bessel_j0(double x);
double bessel_j1(double x);
double bessel_y0(double x);  // -inf at 0, NaN below
double bessel_y1(double x);
double modified_bessel_i0(double x);
double modified_bessel_i1(double x);
double modified_bessel_k0(double x);  // inf at 0, NaN below
double modified_bessel_k1(double x);
double scaled_bessel_i0(double x);  // exp(-|x|) I0(x)
double scaled_bessel_i1(double x);
double scaled_bessel_k0(double x);  // exp(x) K0(x)
double scaled_bessel_k1(double x);
double spherical_bessel_j0(double x);
double inverse_erf(double x);
double scaled_erfc(double x);  // exp(x^2) erfc(x)
double log_normal_cdf(double x);
double inverse_normal_cdf(double p);
double entropy(double x);              // -x ln(x)
double x_log1p_y(double x, double y);  // 0 where x is 0, unless y is NaN
double gamma_p(double a, double x);    // regularised lower incomplete gamma function
double gamma_q(double a, double x);    // the upper one

// In the precision of the argument, as PyTorch computes them (Cephes' algorithms).
template <typename T>
T hurwitz_zeta(T x, T q);
template <typename T>
T digamma(T x);
template <typename T>
T trigamma(T x);
template <typename T>
T polygamma(int order, T x);

}  // namespace loupe::special
