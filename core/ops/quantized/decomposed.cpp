// SPDX-License-Identifier: Apache-2.0
// quantized_decomposed: by tensor and by channel, and the choice of the parameters.

#include "core/ops/quantized/decomposed.h"

#include "core/ops/quantized/family.h"

namespace loupe::quantized_ops {

void check_quant_bounds(std::int64_t quant_min, std::int64_t quant_max, ScalarType dtype) {
    const auto range = [&]() -> Range {
        switch (dtype) {
            case ScalarType::UInt8:
                return {0, 255};
            case ScalarType::Int8:
                return {-128, 127};
            case ScalarType::Int16:
                return {-32768, 32767};
            case ScalarType::Int32:
                return {std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()};
            default:
                throw Error(ErrorKind::Run, concat("Unsupported dtype: torch.", dtype_name(dtype)));
        }
    }();
    require(quant_min >= range.least, "quant_min out of bound for dtype, quant_min_lower_bound: ", range.least,
            " quant_min: ", quant_min);
    require(quant_max <= range.most, "quant_max out of bound for dtype, quant_max_upper_bound: ", range.most,
            " quant_max: ", quant_max);
}

Tensor as_float(const Tensor& input) {
    const bool is_half = input.dtype() == ScalarType::Float16 || input.dtype() == ScalarType::BFloat16;
    require(is_half || input.dtype() == ScalarType::Float32,
            "Expecting input to have dtype torch.float32, but got dtype: torch.", dtype_name(input.dtype()));
    return is_half ? to(input, ScalarType::Float32) : input;
}

namespace {

Tensor quantize_per_tensor(const Tensor& input, double scale, std::int64_t zero_point, std::int64_t quant_min,
                           std::int64_t quant_max, ScalarType dtype) {
    check_quant_bounds(quant_min, quant_max, dtype);
    const Tensor rounded = fn::round(fn::mul_scalar(as_float(input), Scalar(1.0 / scale)));
    const Tensor moved = fn::add_scalar(rounded, Scalar(zero_point), Scalar(1));
    return to(fn::clamp(moved, Scalar(quant_min), Scalar(quant_max)), dtype);
}

Tensor dequantize_per_tensor(const Tensor& input, double scale, std::int64_t zero_point, std::int64_t, std::int64_t,
                             ScalarType dtype, std::optional<ScalarType> out_dtype) {
    require(input.dtype() == dtype, "Expecting input to have dtype: torch.", dtype_name(dtype), ", but got torch.",
            dtype_name(input.dtype()));
    const Tensor wide = to(input, out_dtype.value_or(ScalarType::Float32));
    return fn::mul_scalar(fn::sub_scalar(wide, Scalar(zero_point), Scalar(1)), Scalar(scale));
}

double only_number(const Tensor& t, const char* name) {
    require(t.numel() == 1, "Expecting ", name, " tensor to be one element, but received : ", t.numel());
    return item(t).to_double();
}

Tensor quantize_by_tensors(const Tensor& input, const Tensor& scale, const Tensor& zero_point, std::int64_t quant_min,
                           std::int64_t quant_max, ScalarType dtype) {
    const auto point = static_cast<std::int64_t>(only_number(zero_point, "zero_point"));
    return quantize_per_tensor(input, only_number(scale, "scale"), point, quant_min, quant_max, dtype);
}
Tensor quantize_by_all_tensors(const Tensor& input, const Tensor& scale, const Tensor& zero_point,
                               const Tensor& quant_min, const Tensor& quant_max, ScalarType dtype) {
    return quantize_by_tensors(input, scale, zero_point, item(quant_min).to_int(), item(quant_max).to_int(), dtype);
}
Tensor dequantize_by_tensors(const Tensor& input, const Tensor& scale, const Tensor& zero_point, std::int64_t quant_min,
                             std::int64_t quant_max, ScalarType dtype, std::optional<ScalarType> out_dtype) {
    const auto point = static_cast<std::int64_t>(only_number(zero_point, "zero_point"));
    return dequantize_per_tensor(input, only_number(scale, "scale"), point, quant_min, quant_max, dtype, out_dtype);
}
Tensor dequantize_by_all_tensors(const Tensor& input, const Tensor& scale, const Tensor& zero_point,
                                 const Tensor& quant_min, const Tensor& quant_max, ScalarType dtype,
                                 std::optional<ScalarType> out_dtype) {
    return dequantize_by_tensors(input, scale, zero_point, item(quant_min).to_int(), item(quant_max).to_int(), dtype,
                                 out_dtype);
}

// determine_qparams of torch.ao.quantization.utils.
fn::TwoTensors choose(const Tensor& input, std::int64_t quant_min, std::int64_t quant_max, double eps, ScalarType dtype,
                      bool is_symmetric) {
    require(input.dtype() == ScalarType::Float32, "Expecting input to have dtype torch.float32, but got dtype: torch.",
            dtype_name(input.dtype()));
    require(quant_min < quant_max, "qmin must be less than qmax.");
    const auto [seen_least, seen_most] = least_and_most(input);
    const float least = std::min(seen_least, 0.0F), most = std::max(seen_most, 0.0F);
    const auto steps = static_cast<float>(quant_max - quant_min), smallest = static_cast<float>(eps);
    float scale = 0;
    std::int64_t zero_point = 0;
    if (is_symmetric) {
        scale = std::max(std::max(-least, most) / (steps / 2), smallest);
        if (dtype == ScalarType::UInt8) zero_point = 128;
    } else {
        scale = std::max((most - least) / steps, smallest);
        const auto moved = quant_min - static_cast<std::int64_t>(std::nearbyint(least / scale));
        zero_point = std::clamp(moved, quant_min, quant_max);
    }
    return {tensor_of<double>({static_cast<double>(scale)}, {1}), tensor_of<std::int64_t>({zero_point}, {1})};
}
fn::TwoTensors choose_affine(const Tensor& input, std::int64_t quant_min, std::int64_t quant_max, double eps,
                             ScalarType dtype) {
    return choose(input, quant_min, quant_max, eps, dtype, false);
}
fn::TwoTensors choose_symmetric(const Tensor& input, std::int64_t quant_min, std::int64_t quant_max, double eps,
                                ScalarType dtype) {
    return choose(input, quant_min, quant_max, eps, dtype, true);
}

Tensor along(const Tensor& channels, const Tensor& input, std::int64_t axis) {
    require(axis < input.dim(), "Expecting axis to be < ", input.dim());
    Dims sizes(static_cast<std::size_t>(input.dim()), 1);
    sizes[static_cast<std::size_t>(wrap_dim(axis, input.dim()))] = channels.numel();
    return fn::reshape(channels, sizes);
}

Tensor quantize_per_channel(const Tensor& given, const Tensor& scales, const Tensor& zero_points, std::int64_t axis,
                            std::int64_t quant_min, std::int64_t quant_max, ScalarType dtype) {
    check_quant_bounds(quant_min, quant_max, dtype);
    const Tensor input = as_float(given);
    const Tensor rounded = fn::round(fn::mul(input, fn::reciprocal(along(scales, input, axis))));
    const Tensor moved = fn::add(rounded, along(zero_points, input, axis), Scalar(1));
    return to(fn::clamp(moved, Scalar(quant_min), Scalar(quant_max)), dtype);
}

Tensor dequantize_per_channel(const Tensor& input, const Tensor& scales, const Tensor& zero_points, std::int64_t axis,
                              std::int64_t quant_min, std::int64_t quant_max, ScalarType dtype,
                              std::optional<ScalarType> out_dtype) {
    require(input.dtype() == dtype, "Expecting input to have dtype torch.", dtype_name(dtype),
            ", but got dtype: torch.", dtype_name(input.dtype()));
    check_quant_bounds(quant_min, quant_max, dtype);
    const Tensor moved = zero_points.defined() ? fn::sub(input, along(zero_points, input, axis), Scalar(1)) : input;
    return to(fn::mul(moved, along(scales, input, axis)), out_dtype.value_or(ScalarType::Float32));
}

Tensor fake_quant_per_channel(const Tensor& input, const Tensor& scales, const Tensor& zero_points, std::int64_t axis,
                              std::int64_t quant_min, std::int64_t quant_max) {
    static const OperatorHandle<> op("aten::fake_quantize_per_channel_affine");
    const Tensor points = is_floating(zero_points.dtype()) ? zero_points : to(zero_points, ScalarType::Int32);
    return op(as_float(input), scales, points, axis, quant_min, quant_max);
}

Tensor convert_element_type(const Tensor& input, ScalarType dtype) { return to(input, dtype); }

constexpr std::string_view kQuantizes = "Integers that stand for the elements, as a plain tensor.";
constexpr std::string_view kDequantizes = "The numbers that the integers stand for.";
constexpr std::string_view kChooses = "Scale and zero point for the range of the elements.";
constexpr std::string_view kRounds = "clamp(round(input / scale) + zero_point, quant_min, quant_max)";
constexpr std::string_view kScales = "(input - zero_point) scale";

constexpr OperatorRecord kRecords[] = {
    decomposed(
        "quantized_decomposed::quantize_per_tensor(Tensor input, float scale, int zero_point, int quant_min, int "
        "quant_max, ScalarType dtype) -> Tensor",
        kQuantizes, kRounds, boxed<quantize_per_tensor>),
    decomposed("quantized_decomposed::quantize_per_tensor.tensor(Tensor input, Tensor scale, Tensor zero_point, int "
               "quant_min, int quant_max, ScalarType dtype) -> Tensor",
               kQuantizes, kRounds, boxed<quantize_by_tensors>),
    decomposed(
        "quantized_decomposed::quantize_per_tensor.tensor2(Tensor input, Tensor scale, Tensor zero_point, Tensor "
        "quant_min, Tensor quant_max, ScalarType dtype) -> Tensor",
        kQuantizes, kRounds, boxed<quantize_by_all_tensors>),
    decomposed("quantized_decomposed::dequantize_per_tensor(Tensor input, float scale, int zero_point, int quant_min, "
               "int quant_max, ScalarType dtype, *, ScalarType? out_dtype=None) -> Tensor",
               kDequantizes, kScales, boxed<dequantize_per_tensor>),
    decomposed("quantized_decomposed::dequantize_per_tensor.tensor(Tensor input, Tensor scale, Tensor zero_point, int "
               "quant_min, int quant_max, ScalarType dtype, *, ScalarType? out_dtype=None) -> Tensor",
               kDequantizes, kScales, boxed<dequantize_by_tensors>),
    decomposed("quantized_decomposed::dequantize_per_tensor.tensor2(Tensor input, Tensor scale, Tensor zero_point, "
               "Tensor quant_min, Tensor quant_max, ScalarType dtype, *, ScalarType? out_dtype=None) -> Tensor",
               kDequantizes, kScales, boxed<dequantize_by_all_tensors>),
    decomposed("quantized_decomposed::choose_qparams.tensor(Tensor input, int quant_min, int quant_max, float eps, "
               "ScalarType dtype) -> (Tensor, Tensor)",
               kChooses, "scale = max((most - least) / (quant_max - quant_min), eps)", boxed<choose_affine>)
        .with_placement(Placement::Host),
    decomposed("quantized_decomposed::choose_qparams_symmetric.tensor(Tensor input, int quant_min, int quant_max, "
               "float eps, ScalarType dtype) -> (Tensor, Tensor)",
               kChooses, "scale = max(2 max(-least, most) / (quant_max - quant_min), eps)", boxed<choose_symmetric>)
        .with_placement(Placement::Host),
    decomposed("quantized_decomposed::quantize_per_channel(Tensor input, Tensor scales, Tensor zero_points, int axis, "
               "int quant_min, int quant_max, ScalarType dtype) -> Tensor",
               kQuantizes, kRounds, boxed<quantize_per_channel>),
    decomposed("quantized_decomposed::dequantize_per_channel(Tensor input, Tensor scales, Tensor? zero_points, int "
               "axis, int quant_min, int quant_max, ScalarType dtype, *, ScalarType? out_dtype=None) -> Tensor",
               kDequantizes, kScales, boxed<dequantize_per_channel>),
    decomposed(
        "quantized_decomposed::fake_quant_per_channel(Tensor input, Tensor scales, Tensor zero_points, int axis, "
        "int quant_min, int quant_max) -> Tensor",
        "Rounds to the numbers that quantised elements can stand for, by channel.",
        "(clamp(round(input / scale) + zero_point, quant_min, quant_max) - zero_point) scale",
        boxed<fake_quant_per_channel>),
    decomposed("quantized_decomposed::convert_element_type.no_fuse(Tensor input, ScalarType dtype) -> Tensor",
               "The elements in another dtype.", "", boxed<convert_element_type>),
};

}  // namespace

std::span<const OperatorRecord> decomposed_records() { return kRecords; }

}  // namespace loupe::quantized_ops
