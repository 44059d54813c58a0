// SPDX-License-Identifier: Apache-2.0
// Convolutions with packed weights of 8 bits, static and dynamic, and transposed ones.

#include "core/ops/quantized/family.h"
#include "core/ops/quantized/products.h"

namespace loupe::quantized_ops {
namespace {

const PackedConv& packed_of(const IValue& value) {
    return packed_as<PackedConv>(value, "quantized.Conv2dPackedParamsBase or Conv3dPackedParamsBase");
}

// Of one dimension: sizes with a dimension of 1 before the last.
Tensor with_height(const Tensor& x) { return fn::unsqueeze(x, -2); }
Tensor without_height(const Tensor& x) { return fn::squeeze(x, -2); }
Dims with_one(const Dims& numbers, std::int64_t first) {
    require(numbers.size() == 1, "a convolution of one dimension takes one number, got ", numbers.size());
    return {first, numbers[0]};
}

template <bool Is1d, bool IsTransposed>
IValue pack(const Tensor& weight, const Tensor& bias, const Dims& stride, const Dims& padding,
            const Dims& output_padding, const Dims& dilation, std::int64_t groups) {
    if constexpr (!Is1d) {
        return pack_conv(weight, bias, {stride, padding, dilation, output_padding, groups, IsTransposed});
    } else {
        const QuantizedParts& parts = quantized_parts(weight);
        require(weight.dim() == 3, "Weights are expected to have 3 dimensions");
        const Tensor integers = with_height(parts.integers);
        const Tensor high = parts.is_by_channel()
                                ? make_quantized(integers, parts.scales, parts.zero_points, parts.axis)
                                : with_integers(weight, integers);
        return pack_conv(high, bias,
                         {with_one(stride, 1), with_one(padding, 0), with_one(dilation, 1), with_one(output_padding, 0),
                          groups, IsTransposed});
    }
}
template <bool Is1d>
IValue prepack(const Tensor& weight, const Tensor& bias, const Dims& stride, const Dims& padding, const Dims& dilation,
               std::int64_t groups) {
    return pack<Is1d, false>(weight, bias, stride, padding, Dims(stride.size(), 0), dilation, groups);
}
template <bool Is1d>
IValue prepack_transposed(const Tensor& weight, const Tensor& bias, const Dims& stride, const Dims& padding,
                          const Dims& output_padding, const Dims& dilation, std::int64_t groups) {
    return pack<Is1d, true>(weight, bias, stride, padding, output_padding, dilation, groups);
}

template <bool Is1d>
std::tuple<IValue, IValue> unpack(const IValue& value) {
    const PackedConv& packed = packed_of(value);
    Tensor weight = packed.weight;
    if (Is1d) {
        const QuantizedParts& parts = quantized_parts(weight);
        const Tensor flat = without_height(parts.integers);
        weight = parts.is_by_channel() ? make_quantized(flat, parts.scales, parts.zero_points, parts.axis)
                                       : with_integers(weight, flat);
    }
    return {IValue(weight), packed.bias.defined() ? IValue(packed.bias) : IValue()};
}

template <Dims ConvSettings::*Field>
Dims setting(const IValue& value) {
    return packed_of(value).settings.*Field;
}
std::int64_t groups_of(const IValue& value) { return packed_of(value).settings.groups; }
std::int64_t is_transposed(const IValue& value) { return packed_of(value).settings.is_transposed ? 1 : 0; }

Tensor convolve(const Tensor& x, const PackedConv& packed, double scale, std::int64_t zero_point, bool is_rectified,
                bool is_1d) {
    const QuantizedParts& input = quantized_parts(x);
    require(!input.is_by_channel(), "quantised convolutions take an input with one scale");
    require(!is_1d || x.dim() == 3, "a convolution of one dimension takes an input of three, got ", x.dim());
    const ProductOutput to{scale, zero_point, input.integers.dtype(), is_rectified};
    const Tensor out =
        conv_product(is_1d ? with_height(input.integers) : input.integers, input.scale, input.zero_point, packed, to);
    return make_quantized(is_1d ? without_height(out) : out, scale, zero_point);
}

template <bool Is1d, bool IsRectified>
Tensor conv(const Tensor& x, const IValue& packed, double scale, std::int64_t zero_point) {
    return convolve(x, packed_of(packed), scale, zero_point, IsRectified, Is1d);
}
// Settings beside the packed ones are of older programs, and not read.
template <bool IsRectified>
Tensor conv_with_settings(const Tensor& x, const IValue& packed, const Dims&, const Dims&, const Dims&, std::int64_t,
                          double scale, std::int64_t zero_point) {
    return convolve(x, packed_of(packed), scale, zero_point, IsRectified, false);
}

// Of oneDNN: what is added is of another scale.
template <bool IsRectified>
Tensor conv_add(const Tensor& x, const Tensor& added, const IValue& packed, double scale, std::int64_t zero_point) {
    const QuantizedParts& input = quantized_parts(x);
    require(!input.is_by_channel(), "quantised convolutions take an input with one scale");
    const Tensor product = conv_product(input.integers, input.scale, input.zero_point, packed_of(packed), {});
    const Tensor sum = fn::add(product, dequantized(added), Scalar(1));
    return quantize(IsRectified ? fn::relu(sum) : sum, scale, zero_point, input.integers.dtype());
}

template <bool Is1d>
Tensor conv_dynamic(const Tensor& x, const IValue& packed, bool reduce_range) {
    require(x.dtype() == ScalarType::Float32 && !x.is_sparse(), "quantised convolutions take float32 here");
    require(!Is1d || x.dim() == 3, "a convolution of one dimension takes an input of three, got ", x.dim());
    const auto [least, most] = least_and_most(x);
    const Parameters chosen = choose_parameters(least, most, {0, 255}, reduce_range);
    const double scale = static_cast<double>(chosen.scale);
    const Tensor integers = quantized_parts(quantize(x, scale, chosen.zero_point, ScalarType::UInt8)).integers;
    const Tensor out =
        conv_product(Is1d ? with_height(integers) : integers, scale, chosen.zero_point, packed_of(packed), {});
    return fn::contiguous(Is1d ? without_height(out) : out, 0);
}

constexpr OperatorRecord call(std::string_view schema, std::string_view summary, KernelFunction kernel) {
    return {.schema = schema, .summary = summary, .kernel = kernel, .is_gradient_stop = true};
}

constexpr std::string_view kStatic = "Convolution of quantised elements with a weight of 8 bits.";
constexpr std::string_view kDynamic =
    "Convolution with a weight of 8 bits; the input is rounded to 8 bits in its own range.";
constexpr std::string_view kPack = "A convolution's weight of qint8, bias and settings as one object.";
constexpr std::string_view kUnpack = "The weight and bias of a packed convolution.";
constexpr std::string_view kSetting = "A setting of a packed convolution.";

#define LOUPE_CONV2D "__torch__.torch.classes.quantized.Conv2dPackedParamsBase"
#define LOUPE_CONV3D "__torch__.torch.classes.quantized.Conv3dPackedParamsBase"
#define LOUPE_STATIC(NAME, CLASS, IS_1D, IS_RECTIFIED)                           \
    call("quantized::" NAME "(Tensor qx, " CLASS                                 \
         " packed_weight, float output_scale, int output_zero_point) -> Tensor", \
         kStatic, boxed<conv<IS_1D, IS_RECTIFIED>>)                              \
        .with_formula("q((conv(qx - z, W - z_W) + B / (s s_W)) s s_W / output_scale) + output_zero_point")
#define LOUPE_WITH_SETTINGS(NAME, CLASS, IS_RECTIFIED)                                                \
    call("quantized::" NAME "(Tensor qx, " CLASS                                                      \
         " weight, int[] stride, int[] padding, int[] dilation, int groups, float output_scale, int " \
         "output_zero_point) -> Tensor",                                                              \
         kStatic, boxed<conv_with_settings<IS_RECTIFIED>>)
#define LOUPE_ADD(NAME, IS_RECTIFIED)                                                                      \
    call("quantized::" NAME "(Tensor qx, Tensor qaccum, " LOUPE_CONV2D                                     \
         " packed_weight, float output_scale, int output_zero_point) -> Tensor",                           \
         "Convolution of quantised elements with a weight of 8 bits, and a quantised tensor added to it.", \
         boxed<conv_add<IS_RECTIFIED>>)
#define LOUPE_DYNAMIC(NAME, CLASS, IS_1D)                                                                        \
    call("quantized::" NAME "(Tensor qx, " CLASS " packed_weight, bool reduce_range=False) -> Tensor", kDynamic, \
         boxed<conv_dynamic<IS_1D>>)
#define LOUPE_PREPACK(NAME, CLASS, IS_1D)                                                          \
    call("quantized::" NAME                                                                        \
         "(Tensor weight, Tensor? bias, int[] stride, int[] padding, int[] dilation, int groups) " \
         "-> " CLASS,                                                                              \
         kPack, boxed<prepack<IS_1D>>)
#define LOUPE_PREPACK_TRANSPOSED(NAME, CLASS, IS_1D)                                               \
    call("quantized::" NAME                                                                        \
         "(Tensor weight, Tensor? bias, int[] stride, int[] padding, int[] output_padding, int[] " \
         "dilation, int groups) -> " CLASS,                                                        \
         kPack, boxed<prepack_transposed<IS_1D>>)
#define LOUPE_UNPACK(NAME, CLASS, IS_1D)                                                                          \
    call("quantized::" NAME "(" CLASS " packed_weights) -> (Tensor unpacked_weights, Tensor? B_origin)", kUnpack, \
         boxed<unpack<IS_1D>>)
#define LOUPE_SETTINGS(NAME, CLASS)                                                                      \
    call("quantized::" NAME "_stride(" CLASS " packed_weights) -> int[]", kSetting,                      \
         boxed<setting<&ConvSettings::stride>>),                                                         \
        call("quantized::" NAME "_padding(" CLASS " packed_weights) -> int[]", kSetting,                 \
             boxed<setting<&ConvSettings::padding>>),                                                    \
        call("quantized::" NAME "_output_padding(" CLASS " packed_weights) -> int[]", kSetting,          \
             boxed<setting<&ConvSettings::output_padding>>),                                             \
        call("quantized::" NAME "_dilation(" CLASS " packed_weights) -> int[]", kSetting,                \
             boxed<setting<&ConvSettings::dilation>>),                                                   \
        call("quantized::" NAME "_groups(" CLASS " packed_weights) -> int", kSetting, boxed<groups_of>), \
        call("quantized::" NAME "_transpose(" CLASS " packed_weights) -> int", kSetting, boxed<is_transposed>)

constexpr OperatorRecord kRecords[] = {
    LOUPE_STATIC("conv1d", LOUPE_CONV2D, true, false),
    LOUPE_STATIC("conv1d_relu", LOUPE_CONV2D, true, true),
    LOUPE_STATIC("conv2d.new", LOUPE_CONV2D, false, false),
    LOUPE_STATIC("conv2d_relu.new", LOUPE_CONV2D, false, true),
    LOUPE_STATIC("conv3d.new", LOUPE_CONV3D, false, false),
    LOUPE_STATIC("conv3d_relu.new", LOUPE_CONV3D, false, true),
    LOUPE_STATIC("conv_transpose1d", LOUPE_CONV2D, true, false),
    LOUPE_STATIC("conv_transpose2d", LOUPE_CONV2D, false, false),
    LOUPE_STATIC("conv_transpose3d", LOUPE_CONV3D, false, false),
    LOUPE_ADD("conv2d_add", false),
    LOUPE_ADD("conv2d_add_relu", true),
    LOUPE_WITH_SETTINGS("conv2d", LOUPE_CONV2D, false),
    LOUPE_WITH_SETTINGS("conv2d_relu", LOUPE_CONV2D, true),
    LOUPE_WITH_SETTINGS("conv3d", LOUPE_CONV3D, false),
    LOUPE_WITH_SETTINGS("conv3d_relu", LOUPE_CONV3D, true),
    LOUPE_DYNAMIC("conv1d_dynamic", LOUPE_CONV2D, true),
    LOUPE_DYNAMIC("conv2d_dynamic", LOUPE_CONV2D, false),
    LOUPE_DYNAMIC("conv3d_dynamic", LOUPE_CONV3D, false),
    LOUPE_DYNAMIC("conv_transpose1d_dynamic", LOUPE_CONV2D, true),
    LOUPE_DYNAMIC("conv_transpose2d_dynamic", LOUPE_CONV2D, false),
    LOUPE_DYNAMIC("conv_transpose3d_dynamic", LOUPE_CONV3D, false),
    LOUPE_PREPACK("conv_prepack", LOUPE_CONV2D, false),
    LOUPE_PREPACK("conv1d_prepack", LOUPE_CONV2D, true),
    LOUPE_PREPACK("conv2d_prepack", LOUPE_CONV2D, false),
    LOUPE_PREPACK("conv3d_prepack", LOUPE_CONV3D, false),
    LOUPE_PREPACK_TRANSPOSED("conv_transpose1d_prepack", LOUPE_CONV2D, true),
    LOUPE_PREPACK_TRANSPOSED("conv_transpose2d_prepack", LOUPE_CONV2D, false),
    LOUPE_PREPACK_TRANSPOSED("conv_transpose3d_prepack", LOUPE_CONV3D, false),
    LOUPE_UNPACK("conv_unpack", LOUPE_CONV2D, false),
    LOUPE_UNPACK("conv1d_unpack", LOUPE_CONV2D, true),
    LOUPE_UNPACK("conv2d_unpack", LOUPE_CONV2D, false),
    LOUPE_UNPACK("conv3d_unpack", LOUPE_CONV3D, false),
    LOUPE_UNPACK("conv_transpose1d_unpack", LOUPE_CONV2D, true),
    LOUPE_UNPACK("conv_transpose2d_unpack", LOUPE_CONV2D, false),
    LOUPE_UNPACK("conv_transpose3d_unpack", LOUPE_CONV3D, false),
    LOUPE_SETTINGS("conv2d", LOUPE_CONV2D),
    LOUPE_SETTINGS("conv3d", LOUPE_CONV3D),
    LOUPE_SETTINGS("conv_transpose2d", LOUPE_CONV2D),
    LOUPE_SETTINGS("conv_transpose3d", LOUPE_CONV3D),
};

}  // namespace

std::span<const OperatorRecord> packed_conv_records() { return kRecords; }

}  // namespace loupe::quantized_ops
