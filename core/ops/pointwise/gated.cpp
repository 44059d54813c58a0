// SPDX-License-Identifier: Apache-2.0
// Activations with parameters or gates: prelu, glu, rrelu.

#include <algorithm>

#include "core/kernels/arithmetic.h"
#include "core/ops/pointwise/family.h"
#include "core/ops/pointwise/pointwise.h"
#include "core/ops/random/mersenne_twister.h"
#include "core/ops/samples.h"

namespace loupe {
namespace {

using namespace arithmetic;
using namespace pointwise;

// weight: one number, or one a channel (dimension 1).
Tensor prelu(const Tensor& self, const Tensor& weight) {
    require(weight.defined() && self.dtype() == weight.dtype(), "expected scalar type ", dtype_graph_name(self.dtype()),
            " but found ", weight.defined() ? dtype_graph_name(weight.dtype()) : "Undefined");
    require(is_floating(self.dtype()), "\"prelu_cpu\" not implemented for '", dtype_graph_name(self.dtype()), "'");
    require(weight.dim() <= 1, "prelu: Expected `weight` to be a scalar or 1D tensor, but got ndim = ", weight.dim());
    require(self.dim() > 0 || weight.numel() == 1, "Not allow zero-dim input tensor.");
    Tensor slope = weight;
    if (weight.numel() == 1) {
        slope = fn::reshape(weight, Dims());
    } else {
        const std::int64_t channels = self.dim() > 1 ? self.size(1) : 1;
        require(channels == weight.numel(),
                "Mismatch of parameter numbers and input channel size. Found parameter numbers = ", weight.numel(),
                " and channel size = ", channels, ".");
        Dims shape(static_cast<std::size_t>(self.dim()), 1);
        shape[1] = channels;
        slope = fn::reshape(weight, shape);
    }
    return fn::where(fn::gt_scalar(self, Scalar(0)), self, self * slope);
}

Tensor glu(const Tensor& self, std::int64_t dim) {
    require(self.dim() > 0, "glu does not support 0-dimensional tensors");
    const std::int64_t size = self.size(dim);
    require(size % 2 == 0, "Halving dimension must be even, but dimension ", wrap_dim(dim, self.dim()), " is size ",
            size);
    require(is_floating(self.dtype()), "\"glu_cpu\" not implemented for '", dtype_graph_name(self.dtype()), "'");
    const Tensor gated = fn::narrow(self, dim, 0, size / 2);
    return gated * fn::sigmoid(fn::narrow(self, dim, size / 2, size / 2));
}

// A number from [lower, upper) for each element that is not positive, row by row; 1 for the others.
Tensor random_slopes(const Tensor& self, double lower, double upper, const IValue& generator) {
    MersenneTwister& g = generator_of(generator);
    const Tensor wide = fn::contiguous(fn::to_dtype(self, static_cast<std::int64_t>(ScalarType::Float64)), 0);
    const Tensor slopes = empty(self.sizes(), ScalarType::Float64);
    const auto in_dtype = [&](double v) {
        return self.dtype() == ScalarType::Float64 ? v : static_cast<double>(static_cast<float>(v));
    };
    const double from = in_dtype(lower);
    const double range = in_dtype(upper) - from;
    for (std::int64_t i = 0; i < slopes.numel(); ++i) {
        slopes.data<double>()[i] = wide.data<double>()[i] <= 0 ? g.uniform_double() * range + from : 1;
    }
    return fn::to_dtype(slopes, static_cast<std::int64_t>(self.dtype()));
}
const OperatorHandle<> kRreluWithNoise("aten::rrelu_with_noise");
const OperatorHandle<> kRreluWithNoiseBackward("aten::rrelu_with_noise_backward");

Scalar middle(const Scalar& lower, const Scalar& upper) { return {(lower.to_double() + upper.to_double()) / 2}; }

// In training each element that is not positive is scaled by a random slope, which noise keeps; else by the middle.
Tensor rrelu_with_noise(const Tensor& self, const Tensor& noise, const Scalar& lower, const Scalar& upper,
                        bool training, const IValue& generator) {
    if (!training) return fn::leaky_relu(self, middle(lower, upper));
    require(std::ranges::equal(noise.sizes(), self.sizes()), "rrelu_with_noise: noise must have self's shape ",
            shape_list_text(self.sizes()), ", but has ", shape_list_text(noise.sizes()));
    const Tensor slopes = random_slopes(self, lower.to_double(), upper.to_double(), generator);
    copy_into(noise, slopes);
    return self * slopes;
}
Tensor rrelu_with_noise_backward(const Tensor& grad, const Tensor& self, const Tensor& noise, const Scalar& lower,
                                 const Scalar& upper, bool training, bool self_is_result) {
    if (training && upper.to_double() - lower.to_double() > 1e-6) return grad * noise;
    return fn::leaky_relu_backward(grad, self, middle(lower, upper), self_is_result);
}
void rrelu_derivative(GradientContext& c) {
    c.set_grad("self", kRreluWithNoiseBackward(c.grad_output(), c.argument("self"), c.argument("noise"),
                                               c.value("lower"), c.value("upper"), c.value("training"), false));
}
Tensor rrelu_with_noise_(const Tensor& self, const Tensor& noise, const Scalar& lower, const Scalar& upper,
                         bool training, const IValue& generator) {
    return fn::copy_(self, kRreluWithNoise(fn::clone(self), noise, lower, upper, training, generator));
}
Tensor rrelu(const Tensor& self, const Scalar& lower, const Scalar& upper, bool training, const IValue& generator) {
    require(!(lower.to_double() > upper.to_double()), "Lower bound should be less than or equal to the upper bound");
    return kRreluWithNoise(self, fn::empty_like(fn::detach(self)), lower, upper, training, generator);
}
Tensor rrelu_(const Tensor& self, const Scalar& lower, const Scalar& upper, bool training, const IValue& generator) {
    return fn::copy_(self, rrelu(fn::clone(self), lower, upper, training, generator));
}

std::vector<Sample> prelu_samples(Random& random, ScalarType dtype) {
    if (!is_floating(dtype)) return {};
    return {{{random_ladder(random, {2, 3, 2}, dtype), random_tensor(random, {3}, dtype)}, "a slope a channel"},
            {{random_ladder(random, {2, 3}, dtype), random_tensor(random, {1}, dtype)}, "one slope"}};
}
std::vector<Sample> glu_samples(Random& random, ScalarType dtype) {
    if (!is_floating(dtype)) return {};
    return {{{random_tensor(random, {2, 4}, dtype), -1}, {}},
            {{random_tensor(random, {4, 3}, dtype), 0}, "first dimension"}};
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::prelu(Tensor self, Tensor weight) -> Tensor",
     .summary = "Leaky relu with learned slopes.",
     .formula = "x if x > 0 else weight x",
     .composite = boxed<prelu>,
     .gradient = "self: grad where x > 0, else weight grad\nweight: sum of grad x where x <= 0",
     .samples = prelu_samples,
     .variants = kOut,
     .autocast = {.cpu = Autocast::Lower, .cuda = Autocast::Lower}},
    {.schema = "aten::glu(Tensor self, int dim=-1) -> Tensor",
     .summary = "Gated linear unit: one half gates the other.",
     .formula = "a sigmoid(b)",
     .composite = boxed<glu>,
     .gradient = "self: [grad sigmoid(b), grad a sigmoid(b) (1 - sigmoid(b))]",
     .samples = glu_samples,
     .variants = kOut},
    {.schema = "aten::rrelu(Tensor self, Scalar lower=0.125, Scalar upper=0.33333333333333331, bool training=False, "
               "Generator? "
               "generator=None) -> Tensor",
     .summary = "Leaky relu with random slopes in training.",
     .formula = "x if x >= 0 else a x, a drawn from [lower, upper); their mean in evaluation",
     .composite = boxed<rrelu>,
     .gradient = "self: grad where x >= 0, else a grad"},
    {.schema =
         "aten::rrelu_with_noise(Tensor self, Tensor noise, Scalar lower=0.125, Scalar upper=0.33333333333333331, bool "
         "training=False, Generator? generator=None) -> Tensor",
     .summary = "rrelu that keeps its slopes in noise.",
     .formula = "x if x > 0 else noise x, noise drawn from [lower, upper); their mean in evaluation",
     .kernel = boxed<rrelu_with_noise>,
     .derivative = {rrelu_derivative, {save_argument("self"), save_argument("noise")}},
     .gradient = "self: grad noise in training, else grad where x > 0 and their mean times grad",
     .variants = kOut,
     .is_random = true,
     .dtypes = {.kernel = "leaky_relu_cpu"}},
    {.schema = "aten::rrelu_with_noise_(Tensor(a!) self, Tensor noise, Scalar lower=0.125, Scalar "
               "upper=0.33333333333333331, bool "
               "training=False, Generator? generator=None) -> Tensor(a!)",
     .summary = "rrelu_with_noise in place.",
     .formula = "x if x > 0 else noise x, noise drawn from [lower, upper); their mean in evaluation",
     .composite = boxed<rrelu_with_noise_>,
     .gradient = "self: grad noise in training, else grad where x > 0 and their mean times grad"},
    {.schema = "aten::rrelu_with_noise_backward(Tensor grad_output, Tensor self, Tensor noise, Scalar lower, Scalar "
               "upper, bool training, "
               "bool self_is_result) -> Tensor",
     .summary = "Gradient of rrelu_with_noise.",
     .formula = "grad_output noise in training, else grad_output where x > 0 and their mean times grad_output",
     .composite = boxed<rrelu_with_noise_backward>,
     .variants = kOut},
    {.schema =
         "aten::rrelu_(Tensor(a!) self, Scalar lower=0.125, Scalar upper=0.33333333333333331, bool training=False, "
         "Generator? generator=None) -> Tensor(a!)",
     .summary = "The same as rrelu, in place.",
     .formula = "x if x >= 0 else a x, a drawn from [lower, upper); their mean in evaluation",
     .composite = boxed<rrelu_>,
     .gradient = "self: grad where x >= 0, else a grad"},
};

}  // namespace

std::span<const OperatorRecord> pointwise::gated_records() { return kRecords; }

}  // namespace loupe
