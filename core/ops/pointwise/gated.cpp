// SPDX-License-Identifier: Apache-2.0
// Activations with parameters or gates: prelu, glu, rrelu.

#include "core/ops/arithmetic.h"
#include "core/ops/pointwise/family.h"
#include "core/ops/pointwise/pointwise.h"
#include "core/ops/random/generator.h"
#include "core/ops/samples.h"

namespace loupe {
namespace {

using namespace arithmetic;
using namespace pointwise;

// weight: one number, or one a channel (dimension 1).
Tensor prelu(const Tensor& self, const Tensor& weight) {
    require(weight.defined() && self.dtype() == weight.dtype(), "expected scalar type ", dtype_graph_name(self.dtype()),
            " but found ", weight.defined() ? dtype_graph_name(weight.dtype()) : "Undefined");
    require(self.dim() > 0 || weight.numel() == 1, "Not allow zero-dim input tensor.");
    Tensor slope = weight;
    if (weight.numel() == 1) {
        slope = fn::reshape(weight, Dims());
    } else {
        const std::int64_t channels = self.dim() > 1 ? self.size(1) : 1;
        require(channels == weight.numel(), "Mismatch of parameter numbers and input channel size. Found parameter numbers = ",
                weight.numel(), " and channel size = ", channels, ".");
        Dims shape(static_cast<std::size_t>(self.dim()), 1);
        shape[1] = channels;
        slope = fn::reshape(weight, shape);
    }
    return fn::where(fn::gt_scalar(self, Scalar(0)), self, self * slope);
}

Tensor glu(const Tensor& self, std::int64_t dim) {
    require(self.dim() > 0, "glu does not support 0-dimensional tensors");
    const std::int64_t size = self.size(dim);
    require(size % 2 == 0, "Halving dimension must be even, but dimension ", wrap_dim(dim, self.dim()), " is size ", size);
    const Tensor gated = fn::narrow(self, dim, 0, size / 2);
    return gated * fn::sigmoid(fn::narrow(self, dim, size / 2, size / 2));
}

// A number from [lower, upper) for each element that is not positive, row by row; 1 for the others.
Tensor random_slopes(const Tensor& self, double lower, double upper, const IValue& generator) {
    require(lower <= upper, "Lower bound should be less than or equal to the upper bound");
    Generator& g = generator_of(generator);
    const Tensor wide = fn::contiguous(fn::to_dtype(self, static_cast<std::int64_t>(ScalarType::Float64)), 0);
    const Tensor slopes = empty(self.sizes(), ScalarType::Float64);
    const auto in_dtype = [&](double v) { return self.dtype() == ScalarType::Float64 ? v : static_cast<double>(static_cast<float>(v)); };
    const double from = in_dtype(lower);
    const double range = in_dtype(upper) - from;
    for (std::int64_t i = 0; i < slopes.numel(); ++i) {
        slopes.data<double>()[i] = wide.data<double>()[i] <= 0 ? g.uniform_double() * range + from : 1;
    }
    return fn::to_dtype(slopes, static_cast<std::int64_t>(self.dtype()));
}
// In training each negative element is scaled by a number drawn from [lower, upper], else by the middle.
Tensor rrelu(const Tensor& self, const Scalar& lower, const Scalar& upper, bool training, const IValue& generator) {
    if (!training) return fn::leaky_relu(self, Scalar((lower.to_double() + upper.to_double()) / 2));
    const Tensor slopes = random_slopes(self, lower.to_double(), upper.to_double(), generator);
    return fn::where(fn::le_scalar(self, Scalar(0)), self * slopes, self);
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
    return {{{random_tensor(random, {2, 4}, dtype), -1}, {}}, {{random_tensor(random, {4, 3}, dtype), 0}, "first dimension"}};
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::prelu(Tensor self, Tensor weight) -> Tensor",
     .summary = "Leaky relu with learned slopes.",
     .formula = "x if x > 0 else weight x",
     .composite = boxed<prelu>,
     .samples = prelu_samples},
    {.schema = "aten::glu(Tensor self, int dim=-1) -> Tensor",
     .summary = "Gated linear unit: one half gates the other.",
     .formula = "a sigmoid(b)",
     .composite = boxed<glu>,
     .samples = glu_samples},
    {.schema = "aten::rrelu(Tensor self, Scalar lower=0.125, Scalar upper=0.33333333333333331, bool training=False, Generator? "
               "generator=None) -> Tensor",
     .summary = "Leaky relu with random slopes in training.",
     .composite = boxed<rrelu>},
    {.schema = "aten::rrelu_(Tensor(a!) self, Scalar lower=0.125, Scalar upper=0.33333333333333331, bool training=False, "
               "Generator? generator=None) -> Tensor(a!)",
     .summary = "The same as rrelu, in place.",
     .composite = boxed<rrelu_>},
};

}  // namespace

std::span<const OperatorRecord> pointwise::gated_records() { return kRecords; }

}  // namespace loupe
