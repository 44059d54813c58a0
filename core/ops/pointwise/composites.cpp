// SPDX-License-Identifier: Apache-2.0
// Elementwise operators that are a line of others.

#include <cmath>
#include <numbers>

#include "core/kernels/arithmetic.h"
#include "core/ops/pointwise/family.h"
#include "core/ops/pointwise/pointwise.h"

namespace loupe {
namespace {

using namespace arithmetic;
using namespace pointwise;

Tensor isreal(const Tensor& self) {
    if (is_complex(self.dtype())) return fn::eq_scalar(fn::imag(self), Scalar(0));
    return fn::ones_like(self, static_cast<std::int64_t>(ScalarType::Bool));
}
// Multivariate logarithm of the gamma function.
Tensor mvlgamma(const Tensor& self, std::int64_t p) {
    require(p >= 1, "p has to be greater than or equal to 1");
    const Tensor x = is_integral(self.dtype()) ? fn::to_dtype(self, static_cast<std::int64_t>(kDefaultDtype)) : self;
    const auto degree = static_cast<double>(p);
    static const OperatorHandle<> arange{"aten::arange"};
    const Tensor halves = arange(Scalar(p), static_cast<std::int64_t>(x.dtype()), IValue(), x.device(), IValue()) * 0.5;
    const Tensor terms = fn::lgamma(fn::sub(fn::unsqueeze(x, -1), halves));
    return fn::sum_dim(terms, Dims{-1}, false) + degree * (degree - 1) / 4 * std::log(std::numbers::pi);
}

constexpr OperatorRecord composite(std::string_view schema, std::string_view summary, KernelFunction function,
                                   SamplesFunction samples = nullptr) {
    return {.schema = schema, .summary = summary, .composite = function, .samples = samples};
}

const OperatorHandle<> kLogSigmoid{"aten::log_sigmoid"};

// The buffer holds exp(-|x|), as PyTorch's does on a CPU.
fn::TwoTensors log_sigmoid_forward(const Tensor& self) { return {kLogSigmoid(self), fn::exp(-fn::abs(self))}; }

constexpr OperatorRecord kRecords[] = {
    composite("aten::isreal(Tensor self) -> Tensor", "Is the imaginary part 0?", boxed<isreal>, unary_samples)
        .with_formula("imag(x) = 0"),
    composite("aten::mvlgamma(Tensor self, int p) -> Tensor", "Logarithm of the multivariate gamma function.",
              boxed<mvlgamma>)
        .with_formula("p (p - 1) ln(pi) / 4 + sum_{i = 1}^p ln|Gamma(x + (1 - i) / 2)|")
        .with_gradient("self: grad sum_{i = 1}^p psi(x + (1 - i) / 2)"),
    {.schema = "aten::log_sigmoid_forward(Tensor self) -> (Tensor output, Tensor buffer)",
     .summary = "log_sigmoid, and what its gradient needs.",
     .formula = "-ln(1 + exp(-x))",
     .composite = boxed<log_sigmoid_forward>,
     .variants = kOut,
     .out = {.overload = "output", .names = "output buffer"},
     .constant_results = 0b10},
};

}  // namespace

std::span<const OperatorRecord> pointwise::composite_records() { return kRecords; }

}  // namespace loupe
