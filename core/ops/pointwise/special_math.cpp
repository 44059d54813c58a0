// SPDX-License-Identifier: Apache-2.0
#include "core/ops/pointwise/special_math.h"

#include <boost/math/special_functions/bessel.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <boost/math/special_functions/polygamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>
#include <cmath>
#include <limits>

namespace loupe {
namespace {

namespace math = boost::math;
using Quiet = math::policies::policy<math::policies::domain_error<math::policies::ignore_error>,
                                     math::policies::pole_error<math::policies::ignore_error>,
                                     math::policies::overflow_error<math::policies::ignore_error>,
                                     math::policies::evaluation_error<math::policies::ignore_error>,
                                     math::policies::promote_double<false>>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

}  // namespace

double digamma(double x) {
    if (std::isnan(x) || x == kInfinity) return x;
    if (x == 0) return std::copysign(kInfinity, -x);
    if (x == -kInfinity || (x < 0 && x == std::trunc(x))) return kNan;
    return math::digamma(x, Quiet());
}

double polygamma(int order, double x) {
    if (order == 0) return digamma(x);
    if (std::isnan(x)) return x;
    if (x == kInfinity) return 0;
    if (x <= 0 && x == std::trunc(x)) return order % 2 == 1 ? kInfinity : kNan;
    return order == 1 ? math::trigamma(x, Quiet()) : math::polygamma(order, x, Quiet());
}

double inverse_erf(double x) {
    if (std::isnan(x) || std::abs(x) > 1) return kNan;
    if (std::abs(x) == 1) return std::copysign(kInfinity, x);
    return math::erf_inv(x, Quiet());
}

double modified_bessel_i0(double x) {
    if (std::isnan(x)) return x;
    if (std::isinf(x)) return kInfinity;
    return math::cyl_bessel_i(0, std::abs(x), Quiet());
}

}  // namespace loupe
