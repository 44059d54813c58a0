// SPDX-License-Identifier: Apache-2.0
// Counts: poisson and binomial.

#include <cmath>

#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/dispatch/gradient_context.h"
#include "core/ops/random/family.h"
#include "core/ops/random/mersenne_twister.h"

namespace loupe {
namespace {

using namespace drawing;

// A point of Hoermann's transformed rejection (1993): v at u under the hat k = floor((2a / us + b) u + shift).
struct Proposal {
    double k, us, v;
};
Proposal propose(MersenneTwister& g, double a, double b, double shift) {
    const double u = g.uniform_double() - 0.5;
    const double v = g.uniform_double();
    const double us = 0.5 - std::fabs(u);
    return {std::floor((2 * a / us + b) * u + shift), us, v};
}

// PTRS, for rates from 10 on.
double poisson_by_rejection(double rate, MersenneTwister& g) {
    const double b = 0.931 + 2.53 * std::sqrt(rate);
    const double a = -0.059 + 0.02483 * b;
    const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
    const double sure = 0.9277 - 3.6224 / (b - 2);
    while (true) {
        const Proposal p = propose(g, a, b, rate + 0.43);
        if (p.us >= 0.07 && p.v <= sure) return p.k;
        if (p.k < 0 || (p.us < 0.013 && p.v > p.us)) continue;
        const double density = -rate + p.k * std::log(rate) - std::lgamma(p.k + 1);
        if (std::log(p.v) + std::log(inverse_alpha) - std::log(a / (p.us * p.us) + b) <= density) return p.k;
    }
}
// How many uniform numbers until their product is below exp(-rate).
double poisson_by_products(double rate, MersenneTwister& g) {
    const double end = std::exp(-rate);
    double product = g.uniform_double();
    double count = 0;
    for (; product > end; product *= g.uniform_double()) ++count;
    return count;
}
double draw_poisson(double rate, MersenneTwister& g) {
    require(rate >= 0, "invalid Poisson rate, expected rate to be non-negative");
    // Beyond 2^63 the count is no integer any more, and infinity would never be accepted.
    require(rate < 0x1p63, "invalid Poisson rate, expected rate to be below 2^63");
    if (rate == 0) return 0;
    return rate >= 10 ? poisson_by_rejection(rate, g) : poisson_by_products(rate, g);
}

// What Stirling's series leaves of ln k!.
double stirling_rest(double k) {
    constexpr double kFirst[] = {0.0810614667953272,  0.0413406959554092, 0.0276779256849983, 0.02079067210376509,
                                 0.0166446911898211,  0.0138761288230707, 0.0118967099458917, 0.0104112652619720,
                                 0.00925546218271273, 0.00833056343336287};
    if (k <= 9) return kFirst[static_cast<std::size_t>(k)];
    const double square = (k + 1) * (k + 1);
    return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1);
}
// BTRS, for n p from 10 on; p at most a half.
double binomial_by_rejection(double n, double p, MersenneTwister& g) {
    const double spread = std::sqrt(n * p * (1 - p));
    const double b = 1.15 + 2.53 * spread;
    const double a = -0.0873 + 0.0248 * b + 0.01 * p;
    const double sure = 0.92 - 4.2 / b;
    const double odds = p / (1 - p);
    const double alpha = (2.83 + 5.1 / b) * spread;
    const double mode = std::floor((n + 1) * p);
    while (true) {
        const Proposal drawn = propose(g, a, b, n * p + 0.5);
        const double k = drawn.k;
        if (drawn.us >= 0.07 && drawn.v <= sure) return k;
        if (k < 0 || k > n) continue;
        const double height = std::log(drawn.v * alpha / (a / (drawn.us * drawn.us) + b));
        const double bound = (mode + 0.5) * std::log((mode + 1) / (odds * (n - mode + 1))) +
                             (n + 1) * std::log((n - mode + 1) / (n - k + 1)) +
                             (k + 0.5) * std::log(odds * (n - k + 1) / (k + 1)) + stirling_rest(mode) +
                             stirling_rest(n - mode) - stirling_rest(k) - stirling_rest(n - k);
        if (height <= bound) return k;
    }
}
// Geometric gaps between successes until they fill n.
double binomial_by_gaps(double n, double p, MersenneTwister& g) {
    const double scale = std::log1p(-p);
    double reached = 0;
    for (double count = 0;; ++count) {
        reached += std::ceil(std::log(g.uniform_double()) / scale);
        if (reached > n) return count;
    }
}
double draw_binomial(double n, double p, MersenneTwister& g) {
    if (n <= 0 || p <= 0) return 0;
    if (p >= 1) return n;
    if (p > 0.5) return n - draw_binomial(n, 1 - p, g);
    if (std::isnan(n) || std::isnan(p)) return std::nan("");
    require(std::isfinite(n), "binomial: the count of trials is not finite");
    return n * p >= 10 ? binomial_by_rejection(n, p, g) : binomial_by_gaps(n, p, g);
}

Tensor in_doubles(const Tensor& t) {
    return fn::contiguous(fn::to_dtype(t, static_cast<std::int64_t>(ScalarType::Float64)), 0);
}

Tensor poisson(const Tensor& self, const IValue& generator) {
    require(is_floating(self.dtype()), "\"poisson_cpu\" not implemented for '", dtype_graph_name(self.dtype()), "'");
    MersenneTwister& g = generator_of(generator);
    const Tensor rates = in_doubles(self);
    const Tensor out = empty(self.sizes(), ScalarType::Float64);
    for (std::int64_t i = 0; i < out.numel(); ++i) out.data<double>()[i] = draw_poisson(rates.data<double>()[i], g);
    return fn::to_dtype(out, static_cast<std::int64_t>(self.dtype()));
}
Tensor binomial(const Tensor& count, const Tensor& prob, const IValue& generator) {
    require(is_floating(count.dtype()) && count.dtype() == prob.dtype(), "Found dtype ", dtype_graph_name(prob.dtype()),
            " but expected ", dtype_graph_name(count.dtype()));
    MersenneTwister& g = generator_of(generator);
    const Dims shape = broadcast_shapes(count.sizes(), prob.sizes());
    const Tensor n = in_doubles(fn::expand(count, shape));
    const Tensor p = in_doubles(fn::expand(prob, shape));
    const Tensor out = empty(span_of(shape), ScalarType::Float64);
    for (std::int64_t i = 0; i < out.numel(); ++i)
        out.data<double>()[i] = draw_binomial(n.data<double>()[i], p.data<double>()[i], g);
    return fn::to_dtype(out, static_cast<std::int64_t>(count.dtype()));
}

void zero_gradients(GradientContext& c) {
    c.grad(0, [&] { return fn::zeros_like(c.grad_output()); });
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::poisson(Tensor self, Generator? generator=None) -> Tensor",
     .summary = "Counts of events at the rates that self has there.",
     .kernel = boxed<poisson>,
     .derivative = {zero_gradients},
     .gradient = "self: 0; what is drawn hangs on nothing",
     .variants = kOut,
     .is_random = true},
    {.schema = "aten::binomial(Tensor count, Tensor prob, Generator? generator=None) -> Tensor",
     .summary = "Counts of successes in so many trials.",
     .kernel = boxed<binomial>,
     .variants = kOut,
     .is_random = true,
     .is_gradient_stop = true},
};

}  // namespace

std::span<const OperatorRecord> drawing::counting_records() { return kRecords; }

}  // namespace loupe
