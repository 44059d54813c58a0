// SPDX-License-Identifier: Apache-2.0
// dropout and its forms by feature and for self-normalising networks.

#include <cmath>

#include "core/dispatch/boxing.h"
#include "core/dispatch/gradient_context.h"
#include "core/kernels/arithmetic.h"
#include "core/ops/random/family.h"
#include "core/ops/random/generator.h"
#include "core/ops/samples.h"

namespace loupe {
namespace {

using namespace arithmetic;
using namespace drawing;

const OperatorHandle<fn::TwoTensors> dropout_with_mask{"aten::native_dropout"};

// What negative saturation of selu tends to: -scale alpha.
constexpr double kAlpha = 1.7580993408473766;

// One number a sample and channel.
Tensor feature_noise(const Tensor& input) {
    require(input.dim() >= 2, "Feature dropout requires at least 2 dimensions in the input");
    Dims sizes(input.sizes().size(), 1);
    sizes[0] = input.size(0);
    sizes[1] = input.size(1);
    return empty(span_of(sizes), input.dtype(), input.device());
}

void check(double p) { require(p >= 0 && p <= 1, "dropout probability has to be between 0 and 1, but got ", p); }
bool does_nothing(const Tensor& input, double p, bool train) { return p == 0 || !train || input.numel() == 0; }

template <bool kFeature>
Tensor kept(const Tensor& input, double p) {
    // Drawn in row-major order, whatever the input's layout.
    const Tensor noise = kFeature ? feature_noise(input) : empty(input.sizes(), input.dtype(), input.device());
    return fn::bernoulli_(noise, 1 - p);
}
template <bool kFeature>
Tensor noise_for(const Tensor& input, double p) {
    if (p == 1) return fn::zeros_like(kFeature ? feature_noise(input) : input);
    return fn::div_scalar_(kept<kFeature>(input, p), Scalar(1 - p));
}

// A device with a generator of its own draws and applies the mask at once, as PyTorch does there.
bool draws_itself(const Tensor& input, double p) {
    return p > 0 && p < 1 && !input.device().is_cpu() && default_generator(input.device()).device() == input.device();
}

template <bool kFeature>
Tensor dropout(const Tensor& input, double p, bool train) {
    check(p);
    if (does_nothing(input, p, train)) return input;
    if (!kFeature && draws_itself(input, p)) return std::get<0>(dropout_with_mask(input, p, true));
    return input * noise_for<kFeature>(input, p);
}
template <bool kFeature>
Tensor dropout_(const Tensor& self, double p, bool train) {
    check(p);
    return does_nothing(self, p, train) ? self : fn::mul_(self, noise_for<kFeature>(self, p));
}

// Dropped elements take selu's lower limit; scale and shift keep mean and variance (Klambauer et al. 2017).
struct Affine {
    Tensor scale, shift;
};
template <bool kFeature>
Affine alpha_noise(const Tensor& input, double p) {
    const double a = 1 / std::sqrt((kAlpha * kAlpha * p + 1) * (1 - p));
    const Tensor noise = kept<kFeature>(input, p);
    return {noise * a, (noise - 1) * (kAlpha * a) + kAlpha * a * p};
}
template <bool kFeature>
Tensor alpha_dropout(const Tensor& input, double p, bool train) {
    check(p);
    if (does_nothing(input, p, train)) return input;
    if (p == 1) return input * fn::zeros_like(input);
    const Affine affine = alpha_noise<kFeature>(input, p);
    return input * affine.scale + affine.shift;
}
template <bool kFeature>
Tensor alpha_dropout_(const Tensor& self, double p, bool train) {
    check(p);
    if (does_nothing(self, p, train)) return self;
    if (p == 1) return fn::mul_(self, fn::zeros_like(self));
    const Affine affine = alpha_noise<kFeature>(self, p);
    return fn::add_(fn::mul_(self, affine.scale), affine.shift, Scalar(1));
}

std::tuple<Tensor, Tensor> native_dropout(const Tensor& input, double p, std::optional<bool> train) {
    if (input.numel() == 0) return {fn::clone(input), fn::empty_like(input)};
    if (train && !*train)
        return {fn::clone(input), fn::to_dtype(fn::ones_like(input), static_cast<std::int64_t>(ScalarType::Bool))};
    const Tensor mask =
        fn::to_dtype(fn::bernoulli_(fn::empty_like(input), 1 - p), static_cast<std::int64_t>(ScalarType::Bool));
    return {input * mask * (p == 1 ? 0.0 : 1 / (1 - p)), mask};
}
Tensor native_dropout_backward(const Tensor& grad, const Tensor& mask, double scale) { return grad * mask * scale; }
void native_dropout_gradient(GradientContext& c) {
    const double p = c.value("p").to_double();
    const bool drops = c.value("train").is_none() || c.value("train").to_bool();
    const double scale = !drops ? 1 : p == 1 ? 0 : 1 / (1 - p);
    c.grad("input", [&] { return native_dropout_backward(c.grad_output(), c.result(1), scale); });
}

constexpr OperatorRecord composite(std::string_view schema, std::string_view summary, KernelFunction function) {
    return {.schema = schema, .summary = summary, .composite = function, .is_random = true};
}

constexpr OperatorRecord dropping(std::string_view schema, std::string_view summary, KernelFunction function) {
    return composite(schema, summary, function).with_identity_without("train");
}

constexpr OperatorRecord kRecords[] = {
    dropping("aten::dropout(Tensor input, float p, bool train) -> Tensor",
             "Drops elements with chance p and scales the rest up.", boxed<dropout<false>>)
        .with_formula("out = self m / (1 - p), m = 1 with chance 1 - p, else 0; self in evaluation")
        .with_gradient("input: grad m / (1 - p)"),
    dropping("aten::dropout_(Tensor(a!) self, float p, bool train) -> Tensor(a!)", "The same as dropout, in place.",
             boxed<dropout_<false>>)
        .with_formula("out = self m / (1 - p), m = 1 with chance 1 - p, else 0; self in evaluation")
        .with_gradient("self: grad m / (1 - p)"),
    dropping("aten::feature_dropout(Tensor input, float p, bool train) -> Tensor", "Drops whole channels.",
             boxed<dropout<true>>)
        .with_formula("out[n, c] = input[n, c] m[n, c] / (1 - p), m = 1 with chance 1 - p, else 0")
        .with_gradient("input: grad m / (1 - p)"),
    dropping("aten::feature_dropout_(Tensor(a!) self, float p, bool train) -> Tensor(a!)",
             "The same as feature_dropout, in place.", boxed<dropout_<true>>),
    dropping("aten::alpha_dropout(Tensor input, float p, bool train) -> Tensor",
             "dropout that keeps mean and variance after selu.", boxed<alpha_dropout<false>>)
        .with_formula("out = a (m input + (1 - m) alpha') + b, mean 0 and variance 1 kept, alpha' = -1.7581")
        .with_gradient("input: grad a m"),
    dropping("aten::alpha_dropout_(Tensor(a!) self, float p, bool train) -> Tensor(a!)",
             "The same as alpha_dropout, in place.", boxed<alpha_dropout_<false>>),
    dropping("aten::feature_alpha_dropout(Tensor input, float p, bool train) -> Tensor",
             "alpha_dropout of whole channels.", boxed<alpha_dropout<true>>),
    dropping("aten::feature_alpha_dropout_(Tensor(a!) self, float p, bool train) -> Tensor(a!)",
             "The same as feature_alpha_dropout, in place.", boxed<alpha_dropout_<true>>),
    {.schema = "aten::native_dropout(Tensor input, float p, bool? train) -> (Tensor, Tensor)",
     .summary = "dropout and its mask.",
     .formula = "out = input m / (1 - p), m = 1 with chance 1 - p, else 0",
     .results_from = ResultsFrom::Metadata,
     .kernel = boxed<native_dropout>,
     .derivative = {native_dropout_gradient, {save_result(1)}},
     .gradient = "input: grad m / (1 - p)",
     .variants = kOut,
     .is_random = true,
     .constant_results = 0b10},
    composite("aten::native_dropout_backward(Tensor grad_output, Tensor mask, float scale) -> Tensor",
              "Gradient of native_dropout.", boxed<native_dropout_backward>)
        .with_out({}),
};

}  // namespace

std::span<const OperatorRecord> drawing::dropout_records() { return kRecords; }

}  // namespace loupe
