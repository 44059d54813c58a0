// SPDX-License-Identifier: Apache-2.0
#include "core/study/explained_forms.h"

#include <algorithm>
#include <limits>

#include "core/autograd/variable.h"
#include "core/dispatch/functions.h"

namespace loupe::session {
namespace {

Tensor tensor_of(const IValue& value) { return value.is_tensor() ? value.to_tensor() : Tensor(); }

Tensor plus(const Tensor& a, const Tensor& b) { return fn::add(a, b, Scalar(1)); }

// x scaled to unit size over `dims`, its scale held; with `centres` its mean is taken away first, which is linear.
Tensor normalised(const Tensor& x, const Dims& dims, double eps, bool centres) {
    const Tensor from = centres ? fn::sub(x, fn::mean_dim(x, dims, true), Scalar(1)) : x;
    const Tensor squares = fn::mean_dim(fn::mul(from, from), dims, true);
    return fn::mul(from, detach(fn::rsqrt(fn::add_scalar(squares, Scalar(eps), Scalar(1)))));
}

// weight and bias: one number a channel (dimension 1), or of the last dimensions as they are.
Tensor scaled(Tensor x, Tensor weight, Tensor bias, bool by_channel) {
    for (Tensor* t : {&weight, &bias}) {
        if (!t->defined() || !by_channel) continue;
        Dims sizes(static_cast<std::size_t>(x.dim()), 1);
        sizes[1] = t->numel();
        *t = fn::reshape(*t, sizes);
    }
    if (weight.defined()) x = fn::mul(x, weight);
    return bias.defined() ? plus(x, bias) : x;
}

Dims last_dims(const IValue& normalized_shape) {
    Dims dims;
    for (auto i = static_cast<std::int64_t>(normalized_shape.to_ints().size()); i > 0; --i) dims.push_back(-i);
    return dims;
}

Dims dims_from(std::int64_t first, std::int64_t count) {
    Dims dims;
    for (std::int64_t d = first; d < count; ++d) dims.push_back(d);
    return dims;
}

std::optional<Tensor> layer_norm(Arguments a) {
    const Tensor y = normalised(a[0].to_tensor(), last_dims(a[1]), a[4].to_double(), true);
    return scaled(y, tensor_of(a[2]), tensor_of(a[3]), false);
}

std::optional<Tensor> rms_norm(Arguments a) {
    const Tensor x = a[0].to_tensor();
    const double usual = x.dtype() == ScalarType::Float64 ? std::numeric_limits<double>::epsilon()
                                                          : static_cast<double>(std::numeric_limits<float>::epsilon());
    const Tensor y = normalised(x, last_dims(a[1]), a[3].is_none() ? usual : a[3].to_double(), false);
    return scaled(y, tensor_of(a[2]), {}, false);
}

Tensor by_group(const Tensor& x, std::int64_t groups, double eps) {
    const Dims sizes = to_dims(x.sizes());
    const Tensor rows = fn::reshape(x, Dims{sizes[0], groups, -1});
    return fn::reshape(normalised(rows, Dims{2}, eps, true), sizes);
}

std::optional<Tensor> group_norm(Arguments a) {
    const Tensor y = by_group(a[0].to_tensor(), a[1].to_int(), a[4].to_double());
    return scaled(y, tensor_of(a[2]), tensor_of(a[3]), true);
}

std::optional<Tensor> native_group_norm(Arguments a) {
    const Tensor y = by_group(a[0].to_tensor(), a[6].to_int(), a[7].to_double());
    return scaled(y, tensor_of(a[1]), tensor_of(a[2]), true);
}

std::optional<Tensor> batch_norm(Arguments a) {
    const Tensor x = a[0].to_tensor();
    if (!a[5].to_bool()) return std::nullopt;  // by the running statistics
    Dims dims = dims_from(2, x.dim());
    dims.insert(dims.begin(), 0);
    return scaled(normalised(x, dims, a[7].to_double(), true), tensor_of(a[1]), tensor_of(a[2]), true);
}

std::optional<Tensor> instance_norm(Arguments a) {
    const Tensor x = a[0].to_tensor();
    if (!a[5].to_bool()) return std::nullopt;
    const Tensor y = normalised(x, dims_from(2, x.dim()), a[7].to_double(), true);
    return scaled(y, tensor_of(a[1]), tensor_of(a[2]), true);
}

constexpr std::string_view kStd = "1 / std";
constexpr std::string_view kRms = "1 / rms";
constexpr std::string_view kSoftmax =
    "a number added to every score changes nothing: the shares say which scores move the result, and what they leave "
    "is no score's";

constexpr ExplainedForm kForms[] = {
    {"aten::layer_norm", kStd, layer_norm},
    {"aten::native_layer_norm", kStd, layer_norm},
    {"aten::rms_norm", kRms, rms_norm},
    {"aten::_fused_rms_norm", kRms, rms_norm},
    {"aten::group_norm", kStd, group_norm},
    {"aten::native_group_norm", kStd, native_group_norm},
    {"aten::batch_norm", kStd, batch_norm},
    {"aten::native_batch_norm", kStd, batch_norm},
    {"aten::_native_batch_norm_legit", kStd, batch_norm},
    {"aten::instance_norm", kStd, instance_norm},
    {.op = "aten::softmax", .note = kSoftmax},
    {.op = "aten::_softmax", .note = kSoftmax},
    {.op = "aten::log_softmax", .note = kSoftmax},
    {.op = "aten::_log_softmax", .note = kSoftmax},
};

}  // namespace

const ExplainedForm* explained_form(std::string_view op) {
    const auto* const found =
        std::find_if(std::begin(kForms), std::end(kForms), [op](const ExplainedForm& form) { return form.op == op; });
    return found == std::end(kForms) ? nullptr : found;
}

}  // namespace loupe::session
