// SPDX-License-Identifier: Apache-2.0
// Root mean square normalisation (Zhang and Sennrich 2019); PyTorch 2.4.
#include <cmath>
#include <limits>

#include "core/ops/nn/common.h"
#include "core/ops/nn/family.h"

namespace loupe {
namespace {

using namespace nn_ops;

// Half types are computed in float.
ScalarType working_type(ScalarType dtype) {
    return dtype == ScalarType::Float16 || dtype == ScalarType::BFloat16 ? ScalarType::Float32 : dtype;
}

double usual_eps(ScalarType working) {
    return working == ScalarType::Float64 ? std::numeric_limits<double>::epsilon()
                                          : static_cast<double>(std::numeric_limits<float>::epsilon());
}

void check_shape(const Tensor& input, const Dims& normalized_shape, const Tensor& weight) {
    const auto count = static_cast<std::int64_t>(normalized_shape.size());
    require(count >= 1,
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got "
            "normalized_shape = ",
            shape_list_text(span_of(normalized_shape)));
    require(!weight.defined() || std::ranges::equal(weight.sizes(), normalized_shape),
            "Expected weight to be of same shape as normalized_shape, but got weight of shape ",
            weight.defined() ? shape_list_text(weight.sizes()) : "",
            " and normalized_shape = ", shape_list_text(span_of(normalized_shape)));
    const bool fits =
        input.dim() >= count && std::ranges::equal(input.sizes().last(normalized_shape.size()), normalized_shape);
    // No comma behind the star, as PyTorch writes it here.
    std::string wanted = "[*";
    for (std::size_t i = 0; i < normalized_shape.size(); ++i) wanted += concat(i > 0 ? ", " : "", normalized_shape[i]);
    require(fits, "Given normalized_shape=", shape_list_text(span_of(normalized_shape)), ", expected input with shape ",
            wanted, "], but got input of size", shape_list_text(input.sizes()));
}

Tensor rms_norm(const Tensor& input, const Dims& normalized_shape, const Tensor& weight,
                const std::optional<double>& eps) {
    check_shape(input, normalized_shape, weight);
    require(!is_integral(input.dtype()), "\"rms_norm\" not implemented for '", dtype_graph_name(input.dtype()), "'");
    const ScalarType working = working_type(input.dtype());
    const Tensor x = working == input.dtype() ? input : fn::to_dtype(input, static_cast<std::int64_t>(working));
    Dims dims;
    for (std::size_t i = normalized_shape.size(); i > 0; --i) dims.push_back(-static_cast<std::int64_t>(i));
    const Tensor mean = fn::mean_dim(fn::pow_scalar(x, Scalar(2)), dims, true);
    const Tensor y = fn::mul(x, fn::rsqrt(fn::add_scalar(mean, Scalar(eps.value_or(usual_eps(working))))));
    const Tensor result = working == input.dtype() ? y : fn::to_dtype(y, static_cast<std::int64_t>(input.dtype()));
    return weight.defined() ? fn::mul(result, weight) : result;
}

std::vector<Sample> rms_norm_samples(Random& random, ScalarType dtype) {
    const auto t = [&](std::initializer_list<std::int64_t> sizes) { return random_tensor(random, sizes, dtype); };
    return {{{t({3, 4}), Dims{4}, t({4}), IValue()}}, {{t({2, 3, 4}), Dims{3, 4}, IValue(), 0.1}, "two dimensions"}};
}

constexpr OperatorRecord kRecords[] = {
    {
        .schema =
            "aten::rms_norm(Tensor input, int[] normalized_shape, Tensor? weight=None, float? eps=None) -> Tensor",
        .summary = "Scales the last dimensions to a root mean square of one.",
        .formula = "input / sqrt(mean(input^2) + eps) weight",
        .composite = boxed<rms_norm>,
        .gradient = "input: (g - y mean(g y)) / rms, g = grad weight, y = input / rms\nweight: sum grad y",
        .samples = rms_norm_samples,
        .autocast = {.cuda = Autocast::Float32},
    },
};

}  // namespace

std::span<const OperatorRecord> nn_ops::rms_norm_records() { return kRecords; }

}  // namespace loupe
