// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <numeric>

#include "core/base/error.h"
#include "core/dispatch/functions.h"
#include "plugins/onnx/export/rules.h"

namespace loupe::onnx_export {
namespace {

using Ints = std::vector<std::int64_t>;

OnnxValue number_like(Call& c, double value, const OnnxValue& x) { return c.b.number(value, x.dtype); }

OnnxValue filled_row(Call& c, std::int64_t size, double value, ScalarType dtype) {
    static const OperatorHandle<> full("aten::full");
    const std::array<std::int64_t, 1> sizes{size};
    return c.b.constant(full(IntSpan(sizes), value, static_cast<std::int64_t>(dtype)));
}

// One number a channel beside [N, C, ...].
OnnxValue channelwise(Call& c, const OnnxValue& row, const OnnxValue& x) {
    Ints sizes(static_cast<std::size_t>(std::max<std::int64_t>(1, c.b.rank(x) - 1)), 1);
    sizes[0] = -1;
    return c.b.rank(x) <= 2 ? row : c.b.reshape(row, sizes);
}

struct Moments {
    OnnxValue mean;
    OnnxValue variance;  // of the whole, not of a sample
    OnnxValue centred;
};

Moments moments(Call& c, const OnnxValue& x, const Ints& axes) {
    Builder& b = c.b;
    Moments out;
    out.mean = b.reduce("ReduceMean", x, axes, true);
    out.centred = b.binary("Sub", x, out.mean);
    out.variance = b.reduce("ReduceMean", b.map("Mul", {out.centred, out.centred}), axes, true);
    return out;
}

OnnxValue inverse_deviation(Call& c, const OnnxValue& variance, double eps) {
    return c.b.map("Reciprocal", {c.b.map("Sqrt", {c.b.binary("Add", variance, number_like(c, eps, variance))})});
}

OnnxValue scaled(Call& c, OnnxValue y, const OnnxValue& weight, const OnnxValue& bias) {
    if (!weight.is_absent()) y = c.b.binary("Mul", y, weight);
    if (!bias.is_absent()) y = c.b.binary("Add", y, bias);
    return y;
}

Ints last_axes(Call& c, const OnnxValue& x, std::size_t count) {
    const std::int64_t dims = c.b.rank(x);
    Ints axes(count);
    std::iota(axes.begin(), axes.end(), dims - static_cast<std::int64_t>(count));
    return axes;
}

RuleResults layer_norm(Call& c) {
    Builder& b = c.b;
    const OnnxValue x = c.tensor("input");
    const Ints shape = c.ints("normalized_shape");
    OnnxValue weight = c.tensor("weight");
    const OnnxValue bias = c.tensor("bias");
    const double eps = c.real("eps");
    const bool wants_moments = c.op().result_count() > 1;
    if (b.opset() >= 17 && !wants_moments) {
        if (weight.is_absent()) {
            static const OperatorHandle<> ones("aten::ones");
            weight = b.constant(ones(IntSpan(shape), static_cast<std::int64_t>(x.dtype)));
        }
        const std::int64_t axis = -static_cast<std::int64_t>(shape.size());
        return b.map("LayerNormalization", {x, weight, bias}, {{"axis", axis}, {"epsilon", eps}});
    }
    const Moments found = moments(c, x, last_axes(c, x, shape.size()));
    const OnnxValue inverse = inverse_deviation(c, found.variance, eps);
    const OnnxValue y = scaled(c, b.binary("Mul", found.centred, inverse), weight, bias);
    if (!wants_moments) return y;
    return RuleResults::several({y, found.mean, inverse});
}

RuleResults rms_norm(Call& c) {
    Builder& b = c.b;
    const OnnxValue x = c.tensor("input");
    const Ints shape = c.ints("normalized_shape");
    const bool is_half = x.dtype == ScalarType::Float16 || x.dtype == ScalarType::BFloat16;
    const OnnxValue wide = is_half ? b.cast(x, ScalarType::Float32) : x;
    // Without one PyTorch takes the dtype's epsilon.
    const double machine = wide.dtype == ScalarType::Float64 ? 2.220446049250313e-16 : 1.1920928955078125e-07;
    const OnnxValue mean = b.reduce("ReduceMean", b.map("Mul", {wide, wide}), last_axes(c, x, shape.size()), true);
    const OnnxValue inverse = inverse_deviation(c, mean, c.has("eps") ? c.real("eps") : machine);
    const OnnxValue y = b.cast(b.binary("Mul", wide, inverse), x.dtype);
    return RuleResults::several({scaled(c, y, c.tensor("weight"), {}), inverse});
}

RuleResults batch_norm(Call& c) {
    Builder& b = c.b;
    const OnnxValue x = c.tensor("input");
    const std::int64_t channels = b.rank(x) > 1 ? (*x.sizes)[1] : -1;
    OnnxValue weight = c.tensor("weight");
    OnnxValue bias = c.tensor("bias");
    const bool has_no_training = !c.op().schema.find_argument("training");
    const bool is_training = !has_no_training && c.flag("training");
    if (is_training || !c.has("running_mean")) {
        Ints axes{0};
        for (std::int64_t d = 2; d < b.rank(x); ++d) axes.push_back(d);
        const Moments found = moments(c, x, axes);
        const OnnxValue inverse = inverse_deviation(c, found.variance, c.real("eps"));
        if (!weight.is_absent()) weight = channelwise(c, weight, x);
        if (!bias.is_absent()) bias = channelwise(c, bias, x);
        const OnnxValue y = scaled(c, b.binary("Mul", found.centred, inverse), weight, bias);
        const std::array<std::int64_t, 1> row{-1};
        return RuleResults::several({y, b.reshape(found.mean, row), b.reshape(inverse, row)});
    }
    if (channels < 0 && (weight.is_absent() || bias.is_absent()))
        c.unsupported_argument("input", "of unknown channels");
    const ScalarType dtype = c.tensor("running_mean").dtype;
    if (weight.is_absent()) weight = filled_row(c, channels, 1, dtype);
    if (bias.is_absent()) bias = filled_row(c, channels, 0, dtype);
    Attributes attributes{{"epsilon", c.real("eps")}};
    const OnnxValue y =
        b.emit("BatchNormalization", {x, weight, bias, c.tensor("running_mean"), c.tensor("running_var")},
               std::move(attributes), x.dtype, x.sizes);
    const OnnxValue none = b.constant(empty(IntSpan(std::array<std::int64_t, 1>{0}), ScalarType::Float32));
    return RuleResults::several({y, none, none});
}

// [N, G, -1], each group brought to mean 0 and variance 1: an instance normalisation of G channels.
OnnxValue normalized_groups(Call& c, const OnnxValue& x, std::int64_t groups, double eps) {
    Builder& b = c.b;
    const Ints grouped{0, groups, -1};
    const OnnxValue parts = b.reshape_keeping(x, grouped, Dims{(*x.sizes)[0], groups, -1});
    const Moments found = moments(c, parts, {2});
    const OnnxValue y = b.binary("Mul", found.centred, inverse_deviation(c, found.variance, eps));
    return b.reshape(y, b.shape(x), x.sizes);
}

RuleResults group_norm(Call& c) {
    const OnnxValue x = c.tensor("input");
    const bool is_native = c.op().schema.find_argument("group").has_value();
    const std::int64_t groups = c.integer(is_native ? "group" : "num_groups");
    OnnxValue weight = c.tensor("weight");
    OnnxValue bias = c.tensor("bias");
    const OnnxValue y = normalized_groups(c, x, groups, c.real("eps"));
    if (!weight.is_absent()) weight = channelwise(c, weight, x);
    if (!bias.is_absent()) bias = channelwise(c, bias, x);
    return scaled(c, y, weight, bias);
}

RuleResults instance_norm(Call& c) {
    Builder& b = c.b;
    const OnnxValue x = c.tensor("input");
    OnnxValue weight = c.tensor("weight");
    OnnxValue bias = c.tensor("bias");
    if (c.flag("use_input_stats")) {
        const std::int64_t channels = (*x.sizes)[1];
        if (channels < 0) c.unsupported_argument("input", "of unknown channels");
        if (weight.is_absent()) weight = filled_row(c, channels, 1, x.dtype);
        if (bias.is_absent()) bias = filled_row(c, channels, 0, x.dtype);
        return b.map("InstanceNormalization", {x, weight, bias}, {{"epsilon", c.real("eps")}});
    }
    const OnnxValue mean = channelwise(c, c.tensor("running_mean"), x);
    const OnnxValue inverse = inverse_deviation(c, channelwise(c, c.tensor("running_var"), x), c.real("eps"));
    if (!weight.is_absent()) weight = channelwise(c, weight, x);
    if (!bias.is_absent()) bias = channelwise(c, bias, x);
    return scaled(c, b.binary("Mul", b.binary("Sub", x, mean), inverse), weight, bias);
}

RuleResults local_response_norm(Call& c) {
    return c.b.map(
        "LRN", {c.tensor("input")},
        {{"alpha", c.real("alpha")}, {"beta", c.real("beta")}, {"bias", c.real("k")}, {"size", c.integer("size")}});
}

const Rule kRules[] = {
    {"aten::layer_norm", layer_norm},
    {"aten::native_layer_norm", layer_norm},
    {"aten::rms_norm", rms_norm},
    {"aten::_fused_rms_norm", rms_norm},
    {"aten::batch_norm", batch_norm},
    {"aten::native_batch_norm", batch_norm},
    {"aten::cudnn_batch_norm", batch_norm},
    {"aten::_native_batch_norm_legit", batch_norm},
    {"aten::_native_batch_norm_legit_functional", batch_norm},
    {"aten::_native_batch_norm_legit_no_training", batch_norm},
    {"aten::group_norm", group_norm},
    {"aten::native_group_norm", group_norm},
    {"aten::instance_norm", instance_norm},
    {"aten::local_response_norm", local_response_norm},
};

}  // namespace

std::span<const Rule> normalization_rules() { return kRules; }

}  // namespace loupe::onnx_export
