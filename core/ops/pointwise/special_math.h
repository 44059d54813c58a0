// SPDX-License-Identifier: Apache-2.0
#pragma once
// Special functions of one real number; Boost.Math with PyTorch's values at the edges.

namespace loupe {

double digamma(double x);
double polygamma(int order, double x);  // order 0 is digamma
double inverse_erf(double x);
double modified_bessel_i0(double x);

}  // namespace loupe
