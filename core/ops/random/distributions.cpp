// SPDX-License-Identifier: Apache-2.0
// New tensors of numbers from distributions with a parameter an element: gamma and Dirichlet.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/dispatch/gradient_context.h"
#include "core/kernels/arithmetic.h"
#include "core/ops/random/family.h"
#include "core/ops/random/mersenne_twister.h"
#include "core/ops/special/kernels.h"

namespace loupe {
namespace {

using namespace arithmetic;
using namespace drawing;
using G = GradientContext;

const OperatorHandle<> kGammaGrad("aten::_standard_gamma_grad");
const OperatorHandle<> kDirichletGrad("aten::_dirichlet_grad");

constexpr auto kFloat64 = static_cast<std::int64_t>(ScalarType::Float64);

// In double, elements in row-major order.
Tensor in_double(const Tensor& t) { return fn::contiguous(fn::to_dtype(t, kFloat64), 0); }
Tensor in_type_of(const Tensor& t, const Tensor& like) {
    return fn::to_dtype(t, static_cast<std::int64_t>(like.dtype()));
}

void require_type(const Tensor& t, const char* kernel) {
    require(t.dtype() == ScalarType::Float32 || t.dtype() == ScalarType::Float64, "\"", kernel,
            "\" not implemented for '", dtype_graph_name(t.dtype()), "'");
}

// draw(parameter) for each element.
template <typename Draw>
Tensor draw_each(const Tensor& self, Draw&& draw) {
    const Tensor parameters = in_double(self);
    const Tensor drawn = empty(self.sizes(), ScalarType::Float64);
    std::transform(parameters.data<double>(), parameters.data<double>() + drawn.numel(), drawn.data<double>(), draw);
    return in_type_of(drawn, self);
}

// Marsaglia and Tsang (2000).
double draw_gamma(double alpha, MersenneTwister& g) {
    double scale = 1;
    if (alpha < 1) {
        if (alpha == 0) return 0;
        scale = std::pow(1 - g.uniform_double(), 1 / alpha);
        alpha += 1;
    }
    const double d = alpha - 1.0 / 3;
    const double c = 1 / std::sqrt(9 * d);
    for (;;) {
        double x = 0, y = 0;
        do {
            x = g.normal();
            y = 1 + c * x;
        } while (y <= 0);
        const double v = y * y * y;
        const double u = 1 - g.uniform_double();
        const double square = x * x;
        if (u < 1 - 0.0331 * square * square || std::log(u) < 0.5 * square + d * (1 - v + std::log(v)))
            return scale * d * v;
    }
}
double least_normal(const Tensor& t) {
    return t.dtype() == ScalarType::Float64 ? std::numeric_limits<double>::min()
                                            : static_cast<double>(std::numeric_limits<float>::min());
}
Tensor standard_gamma(const Tensor& self, const IValue& generator) {
    require_type(self, "gamma_cpu");
    MersenneTwister& g = generator_of(generator);
    return draw_each(self,
                     [&, least = least_normal(self)](double alpha) { return std::max(least, draw_gamma(alpha, g)); });
}
void standard_gamma_backward(G& c) { c.set_grad(0, c.grad_output() * kGammaGrad(c.argument(0), c.result())); }

Tensor sample_dirichlet(const Tensor& self, const IValue& generator) {
    require_type(self, "dirichlet");
    MersenneTwister& g = generator_of(generator);
    const double least = least_normal(self);
    const Tensor gammas =
        draw_each(in_double(self), [&](double alpha) { return std::max(least, draw_gamma(alpha, g)); });
    const Tensor shares = gammas / fn::sum_dim(gammas, Dims{-1}, true, IValue());
    const double greatest = self.dtype() == ScalarType::Float64 ? std::nextafter(1.0, 0.0)
                                                                : static_cast<double>(std::nextafter(1.0F, 0.0F));
    return in_type_of(fn::clamp(shares, Scalar(least), Scalar(greatest)), self);
}
void sample_dirichlet_backward(G& c) {
    const Tensor alpha = c.argument(0), x = c.result(), g = c.grad_output();
    const Tensor total = fn::expand(fn::sum_dim(alpha, Dims{-1}, true, IValue()), to_dims(alpha.sizes()));
    c.set_grad(0, kDirichletGrad(x, alpha, total) * (g - fn::sum_dim(x * g, Dims{-1}, true, IValue())));
}

Tensor standard_gamma_grad(const Tensor& self, const Tensor& output) {
    require_type(self, "_standard_gamma_grad_cpu");
    require(self.dtype() == output.dtype(), "Found dtype ", dtype_graph_name(output.dtype()), " but expected ",
            dtype_graph_name(self.dtype()));
    const Dims shape = broadcast_shapes(self.sizes(), output.sizes());
    const Tensor out = empty(span_of(shape), self.dtype(), self.device());
    const std::array operands{LoopOperand(out, self.dtype()), LoopOperand(self, self.dtype()),
                              LoopOperand(output, self.dtype())};
    run_elementwise(special_pair_kernel(SpecialPairOp::GammaSlope, self.dtype()), nullptr, operands, 1, 64);
    return out;
}
Tensor dirichlet_grad(const Tensor& x, const Tensor& alpha, const Tensor& total) {
    require_type(x, "_dirichlet_grad_cpu");
    for (const Tensor* t : {&alpha, &total}) {
        require(t->dtype() == x.dtype(), "Found dtype ", dtype_graph_name(t->dtype()), " but expected ",
                dtype_graph_name(x.dtype()));
    }
    const Dims of_two = broadcast_shapes(x.sizes(), alpha.sizes());
    const Dims shape = broadcast_shapes(span_of(of_two), total.sizes());
    const Tensor out = empty(span_of(shape), x.dtype(), x.device());
    const std::array operands{LoopOperand(out, x.dtype()), LoopOperand(x, x.dtype()), LoopOperand(alpha, x.dtype()),
                              LoopOperand(total, x.dtype())};
    run_elementwise(special_triple_kernel(SpecialTripleOp::BetaSlope, x.dtype()), nullptr, operands, 1, 64);
    return out;
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::_standard_gamma(Tensor self, Generator? generator=None) -> Tensor",
     .summary = "Numbers of gamma distributions of scale 1.",
     .kernel = boxed<standard_gamma>,
     .derivative = {standard_gamma_backward, {save_argument(0), save_result()}},
     .gradient = "self: grad times how the sample moves with self",
     .variants = kOut,
     .is_random = true},
    {.schema = "aten::_standard_gamma_grad(Tensor self, Tensor output) -> Tensor",
     .summary = "How samples of gamma distributions move with their parameter.",
     .kernel = boxed<standard_gamma_grad>,
     .variants = kOut,
     .is_gradient_stop = true},
    {.schema = "aten::_sample_dirichlet(Tensor self, Generator? generator=None) -> Tensor",
     .summary = "Shares of a Dirichlet distribution along the last dimension.",
     .kernel = boxed<sample_dirichlet>,
     .derivative = {sample_dirichlet_backward, {save_argument(0), save_result()}},
     .gradient = "self: (grad - sum_k grad[k] out[k]) times how the share moves with self",
     .variants = kOut,
     .is_random = true},
    {.schema = "aten::_dirichlet_grad(Tensor x, Tensor alpha, Tensor total) -> Tensor",
     .summary = "How shares of Dirichlet distributions move with their parameter.",
     .kernel = boxed<dirichlet_grad>,
     .variants = kOut,
     .is_gradient_stop = true},
};

}  // namespace

std::span<const OperatorRecord> drawing::distribution_records() { return kRecords; }

}  // namespace loupe
