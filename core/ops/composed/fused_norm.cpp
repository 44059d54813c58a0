// SPDX-License-Identifier: Apache-2.0
// Root mean square normalisation that gives 1/rms beside its result, and its gradient.

#include <limits>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/kernels/arithmetic.h"
#include "core/ops/composed/composite.h"
#include "core/ops/composed/family.h"
#include "core/ops/samples.h"

namespace loupe::composed {
namespace {

using namespace arithmetic;

Tensor cast(const Tensor& t, ScalarType dtype) { return fn::to_dtype(t, static_cast<std::int64_t>(dtype)); }
ScalarType working_type(ScalarType dtype) {
    return is_floating(dtype) && element_size(dtype) == 2 ? ScalarType::Float32 : dtype;
}
// The last dimensions.
Dims normalized_dims(std::size_t count) {
    Dims dims;
    for (std::size_t i = count; i > 0; --i) dims.push_back(-static_cast<std::int64_t>(i));
    return dims;
}

fn::TwoTensors fused_rms_norm(const Tensor& input, const Dims& normalized_shape, const Tensor& weight,
                              const std::optional<double>& eps) {
    static const OperatorHandle<> rms_norm("aten::rms_norm");
    const Tensor result = rms_norm(input, normalized_shape, weight, eps ? IValue(*eps) : IValue());
    const ScalarType working = working_type(input.dtype());
    const double usual = working == ScalarType::Float64 ? std::numeric_limits<double>::epsilon()
                                                        : static_cast<double>(std::numeric_limits<float>::epsilon());
    const Tensor squares = fn::pow_scalar(cast(input, working), Scalar(2));
    const Tensor mean = fn::mean_dim(squares, normalized_dims(normalized_shape.size()), true);
    return {result, fn::rsqrt(mean + Scalar(eps.value_or(usual)))};
}

fn::TwoTensors fused_rms_norm_backward(const Tensor& given_grad, const Tensor& given_input,
                                       const Dims& normalized_shape, const Tensor& given_rstd, const Tensor& weight,
                                       const std::vector<bool>& output_mask) {
    if (output_mask.size() != 2)
        throw Error(ErrorKind::Run, concat("output_mask must have 2 elements, but got ", output_mask.size()));
    const ScalarType working = working_type(given_input.dtype());
    const Tensor grad = cast(given_grad, working), input = cast(given_input, working), rstd = cast(given_rstd, working);
    const Tensor y = input * rstd;
    const Tensor weighted = weight.defined() ? grad * cast(weight, working) : grad;
    Tensor of_input, of_weight;
    if (output_mask[0]) {
        const Tensor mean = fn::mean_dim(weighted * y, normalized_dims(normalized_shape.size()), true);
        of_input = cast((weighted - y * mean) * rstd, given_input.dtype());
    }
    if (output_mask[1] && weight.defined()) {
        Dims others;
        const auto count = input.dim() - static_cast<std::int64_t>(normalized_shape.size());
        for (std::int64_t d = 0; d < count; ++d) others.push_back(d);
        const Tensor product = grad * y;
        of_weight = cast(others.empty() ? product : fn::sum_dim(product, others, false), weight.dtype());
    }
    return {of_input, of_weight};
}

std::vector<Sample> samples(Random& random, ScalarType dtype) {
    if (!is_floating(dtype)) return {};
    const auto t = [&](std::initializer_list<std::int64_t> sizes) { return random_tensor(random, sizes, dtype); };
    return {{{t({3, 4}), Dims{4}, t({4}), IValue()}}, {{t({2, 3, 4}), Dims{3, 4}, IValue(), 0.1}, "two dimensions"}};
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::_fused_rms_norm(Tensor input, int[] normalized_shape, Tensor? weight, float? eps) -> (Tensor, "
               "Tensor)",
     .summary = "Scales the last dimensions to a root mean square of one; gives 1/rms too.",
     .formula = "input / sqrt(mean(input^2) + eps) weight",
     .composite = boxed<fused_rms_norm>,
     .gradient = "input: (g - y mean(g y)) / rms, g = grad weight, y = input / rms\nweight: sum grad y",
     .samples = samples},
    {.schema = "aten::_fused_rms_norm_backward(Tensor grad_out, Tensor input, int[] normalized_shape, Tensor rstd, "
               "Tensor? weight, bool[2] output_mask) -> (Tensor, Tensor)",
     .summary = "The gradients of _fused_rms_norm.",
     .formula = "input: (g - y mean(g y)) rstd, g = grad weight, y = input rstd; weight: sum grad y",
     .composite = boxed<fused_rms_norm_backward>},
};

}  // namespace

std::span<const OperatorRecord> fused_norm_records() { return kRecords; }

}  // namespace loupe::composed
