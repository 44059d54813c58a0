// SPDX-License-Identifier: Apache-2.0
#include "core/ops/quantized/packed.h"

#include <numeric>

#include "core/autograd/variable.h"
#include "core/ops/quantized/quantized.h"

namespace loupe {

using namespace quantized_ops;

namespace {

bool is_qint8(const Tensor& t) { return is_quantized(t) && quantized_parts(t).integers.dtype() == ScalarType::Int8; }

// The zero point of each slice of the weight along its channels; one for all where there are none.
std::vector<std::int64_t> zero_points_of(const QuantizedParts& weight) {
    if (!weight.is_by_channel()) return {weight.zero_point};
    const Tensor points = fn::contiguous(fn::to_dtype(weight.zero_points, number_of(ScalarType::Int64)), 0);
    return {points.data<std::int64_t>(), points.data<std::int64_t>() + points.numel()};
}

// [out, kernel..., in / groups] of a convolution's weight.
Tensor channels_last(const Tensor& integers, const ConvSettings& settings) {
    Tensor weight = integers;
    if (settings.is_transposed) {
        // [in, out / groups, kernel...] to [out, in / groups, kernel...]
        Dims sizes = to_dims(weight.sizes());
        sizes[0] /= settings.groups;
        sizes.insert(sizes.begin(), settings.groups);
        weight = fn::transpose(fn::reshape(weight, sizes), 1, 2);
        sizes = to_dims(weight.sizes());
        sizes[1] *= sizes[0];
        sizes.erase(sizes.begin());
        weight = fn::reshape(weight, sizes);
    }
    Dims order(static_cast<std::size_t>(weight.dim()), 0);
    std::iota(order.begin() + 1, order.end() - 1, 2);
    order.back() = 1;
    return fn::permute(weight, order);
}

IntegerColumns linear_columns(const Tensor& weight) {
    if (!is_qint8(weight)) return {};
    const QuantizedParts& parts = quantized_parts(weight);
    const Tensor flat = fn::contiguous(parts.integers, 0);
    return pack_columns(flat.data<std::int8_t>(), flat.size(0), flat.size(1), zero_points_of(parts));
}

std::vector<IntegerColumns> conv_columns(const Tensor& weight, const ConvSettings& settings, bool is_depthwise) {
    if (is_depthwise) return {};
    const QuantizedParts& parts = quantized_parts(weight);
    const Tensor rows = fn::contiguous(channels_last(parts.integers, settings), 0);
    const std::int64_t out = rows.size(0) / settings.groups, depth = rows.numel() / rows.size(0);
    const std::vector<std::int64_t> points = zero_points_of(parts);
    std::vector<IntegerColumns> made;
    for (std::int64_t g = 0; g < settings.groups; ++g) {
        const bool is_one = points.size() == 1;
        const auto own = is_one ? points : std::vector(points.begin() + g * out, points.begin() + (g + 1) * out);
        made.push_back(pack_columns(rows.data<std::int8_t>() + g * out * depth, out, depth, own));
    }
    return made;
}

// [kernel..., out]
IntegerRows depthwise_taps(const Tensor& weight, const ConvSettings& settings, bool is_depthwise) {
    if (!is_depthwise) return {};
    const QuantizedParts& parts = quantized_parts(weight);
    const std::vector<std::int64_t> points = zero_points_of(parts);
    const Tensor rows = fn::contiguous(channels_last(parts.integers, settings), 0);
    const std::int64_t taps = checked_numel(weight.sizes().subspan(2)), count = rows.size(0);
    IntegerRows turned{taps, count, std::vector<std::int16_t>(static_cast<std::size_t>(taps * count))};
    for (std::int64_t c = 0; c < count; ++c) {
        const std::int64_t point = points[points.size() == 1 ? 0 : static_cast<std::size_t>(c)];
        for (std::int64_t tap = 0; tap < taps; ++tap) {
            turned.values[static_cast<std::size_t>(tap * count + c)] =
                static_cast<std::int16_t>(rows.data<std::int8_t>()[c * taps + tap] - point);
        }
    }
    return turned;
}

Tensor plain_bias(const Tensor& bias) {
    return bias.defined() ? fn::contiguous(fn::to_dtype(detach(bias), number_of(ScalarType::Float32)), 0) : bias;
}

}  // namespace

PackedLinear::PackedLinear(Tensor packed_weight, Tensor packed_bias)
    : weight(std::move(packed_weight)), bias(std::move(packed_bias)), columns(linear_columns(weight)) {}

PackedConv::PackedConv(Tensor packed_weight, Tensor packed_bias, ConvSettings packed_settings)
    : weight(std::move(packed_weight)),
      bias(std::move(packed_bias)),
      settings(std::move(packed_settings)),
      columns(conv_columns(weight, settings, is_depthwise())),
      taps(depthwise_taps(weight, settings, is_depthwise())) {}

std::int64_t PackedConv::out_channels() const {
    return settings.is_transposed ? weight.size(1) * settings.groups : weight.size(0);
}
std::int64_t PackedConv::in_channels() const {
    return settings.is_transposed ? weight.size(0) : weight.size(1) * settings.groups;
}

IValue pack_linear(const Tensor& weight, const Tensor& bias) {
    require(weight.defined() && weight.dim() == 2,
            "The weight tensor for quantized::linear_prepack (fbgemm) should be 2-dimensional.");
    const bool is_int8 = is_qint8(weight);
    require(is_int8 || is_floating(weight.dtype()), "quantized::linear_prepack takes a weight of torch.qint8");
    require(!is_int8 || !quantized_parts(weight).is_by_channel() || quantized_parts(weight).axis == 0,
            "quantized::linear_prepack takes a weight whose channels are its rows");
    require(!bias.defined() || (bias.dim() == 1 && bias.size(0) == weight.size(0)),
            "bias should have N elements: ", weight.size(0));
    return IValue::other(make_ptr<PackedLinear>(weight, bias.defined() ? detach(bias) : bias));
}

IValue pack_conv(const Tensor& weight, const Tensor& bias, const ConvSettings& settings) {
    const std::size_t dims = settings.stride.size();
    require(weight.defined() && is_qint8(weight), "quantized::conv_prepack takes a weight of torch.qint8");
    require((dims == 2 || dims == 3) && static_cast<std::size_t>(weight.dim()) == dims + 2,
            "Weights are expected to have ", dims + 2, " dimensions");
    require(settings.padding.size() == dims, "Specify top/left padding only. bottom/right padding assumed to be equal ",
            "to top/left");
    require(settings.dilation.size() == dims && settings.output_padding.size() == dims, "dilation and output_padding ",
            "should contain ", dims, " elements for ", dims, "D convolution.");
    for (std::size_t d = 0; d < dims; ++d) {
        require(settings.stride[d] > 0 && settings.dilation[d] > 0 && weight.size(static_cast<int>(d) + 2) > 0,
                "stride, dilation and kernel size should be above 0");
        require(settings.padding[d] >= 0 && settings.output_padding[d] >= 0, "padding should be at least 0");
    }
    require(settings.groups > 0 && weight.numel() > 0 && weight.size(0) % settings.groups == 0,
            "the channels of the weight should be a multiple of groups");
    const std::int64_t out = settings.is_transposed ? weight.size(1) * settings.groups : weight.size(0);
    require(!bias.defined() || (bias.dim() == 1 && bias.size(0) == out), "bias should have K elements: ", out);
    const QuantizedParts& parts = quantized_parts(weight);
    require(!parts.is_by_channel() || parts.scales.numel() == out,
            "quantized::conv_prepack takes a weight whose channels are those of the output");
    return IValue::other(make_ptr<PackedConv>(weight, plain_bias(bias), settings));
}

IValue pack_embedding(const Tensor& weight) {
    require(weight.defined() && weight.dim() == 2, "quantized::embedding_bag_prepack takes a matrix");
    const QuantizedParts& parts = quantized_parts(weight);
    require(parts.is_by_channel() && parts.axis == 0 && parts.integers.dtype() == ScalarType::UInt8,
            "quantized::embedding_bag_prepack takes a weight of torch.quint8 or torch.quint4x2 quantised by its rows");
    return IValue::other(make_ptr<PackedEmbedding>(weight, parts.is_in_halves ? 4 : 8));
}

}  // namespace loupe
