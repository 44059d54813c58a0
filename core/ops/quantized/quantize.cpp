// SPDX-License-Identifier: Apache-2.0
// Making quantised tensors, and what they say of themselves.

#include "core/base/parallel.h"
#include "core/ops/quantized/family.h"
#include "core/ops/quantized/quantized.h"
#include "core/ops/samples.h"
#include "core/tensor/packed.h"

namespace loupe::quantized_ops {
namespace {

Tensor quantize_per_tensor(const Tensor& self, double scale, std::int64_t zero_point, std::int64_t dtype) {
    return quantize(self, scale, zero_point, integers_of_dtype(dtype));
}

Tensor quantize_by_tensors(const Tensor& self, const Tensor& scale, const Tensor& zero_point, std::int64_t dtype) {
    return quantize(self, item(scale).to_double(), item(zero_point).to_int(), integers_of_dtype(dtype));
}

Tensor quantize_dynamic(const Tensor& self, std::int64_t number, bool reduce_range) {
    const ScalarType dtype = integers_of_dtype(number);
    require(dtype != ScalarType::Int32, "dtype QInt32not supported");
    const auto [least, most] = least_and_most(self);
    const Parameters chosen = choose_parameters(least, most, integers_in(dtype), reduce_range);
    return quantize(self, static_cast<double>(chosen.scale), chosen.zero_point, dtype);
}

// Slices along the axis one after the other, each as a tensor of its own.
Tensor quantize_per_channel(const Tensor& self, const Tensor& scales, const Tensor& zero_points, std::int64_t axis,
                            std::int64_t number) {
    const ScalarType dtype = integers_of_dtype(number);
    require(self.dtype() == ScalarType::Float32, "Quantize only works on Float Tensor, got ",
            dtype_graph_name(self.dtype()));
    require(scales.dim() == 1, "scale tensor must have dimension 1");
    require(zero_points.dim() == 1, "zero_points tensor must have dimension 1");
    require(scales.numel() == zero_points.numel(), "number of elements in scales and zero_points must match");
    require(axis >= 0 && axis < self.dim(), "Channel axis out of range in per channel affine quantization. Got: ", axis,
            "Expected: [0, ", self.dim(), ")");
    require(scales.numel() == self.size(axis), "length of scales must equal to channel, expected ", self.size(axis),
            " got, ", scales.numel());
    const bool is_exact = is_floating(zero_points.dtype());
    const Tensor wide_scales = fn::to_dtype(scales, number_of(is_exact ? ScalarType::Float32 : ScalarType::Float64));
    const Tensor points = fn::to_dtype(zero_points, number_of(is_exact ? ScalarType::Float32 : ScalarType::Int64));
    const Range range = integers_in(dtype);
    TensorList slices;
    for (std::int64_t c = 0; c < self.size(axis); ++c) {
        const Tensor slice = fn::select(self, axis, c);
        if (is_exact) {
            const Scalar scale = item(fn::select(wide_scales, 0, c)), point = item(fn::select(points, 0, c));
            const Tensor inverse = fn::mul_scalar(slice, Scalar(1.0 / scale.to_double()));
            const Tensor rounded = fn::round(fn::add_scalar(inverse, point, Scalar(1)));
            slices.push_back(
                fn::to_dtype(fn::clamp(rounded, Scalar(range.least), Scalar(range.most)), number_of(dtype)));
        } else {
            const double scale = item(fn::select(wide_scales, 0, c)).to_double();
            const std::int64_t point = item(fn::select(points, 0, c)).to_int();
            slices.push_back(quantized_parts(quantize(slice, scale, point, dtype)).integers);
        }
    }
    const Tensor integers = slices.empty() ? empty(self.sizes(), dtype) : fn::stack(slices, axis);
    return make_quantized(fn::contiguous(integers, 0), fn::contiguous(wide_scales, 0), fn::contiguous(points, 0), axis);
}

Tensor dequantize(const Tensor& self) {
    if (is_packed(self)) return unpacked(self);
    return is_quantized(self) ? dequantized(self) : fn::to_dtype(self, number_of(ScalarType::Float32));
}
Tensor integers(const Tensor& self) { return fn::clone(quantized_parts(self).integers, IValue()); }

const QuantizedParts& by_tensor(const Tensor& self) {
    const QuantizedParts& parts = quantized_parts(self);
    require(!parts.is_by_channel(), "Expected quantizer->qscheme() == kPerTensorAffine");
    return parts;
}
const QuantizedParts& by_channel(const Tensor& self) {
    const QuantizedParts& parts = quantized_parts(self);
    require(parts.is_by_channel(), "Expected quantizer->qscheme() == kPerChannelAffine");
    return parts;
}
double scale_of(const Tensor& self) { return by_tensor(self).scale; }
std::int64_t zero_point_of(const Tensor& self) { return by_tensor(self).zero_point; }
Tensor scales_of(const Tensor& self) { return by_channel(self).scales; }
Tensor zero_points_of(const Tensor& self) { return by_channel(self).zero_points; }
std::int64_t axis_of(const Tensor& self) { return by_channel(self).axis; }
std::int64_t scheme_of(const Tensor& self) { return static_cast<std::int64_t>(quantized_parts(self).scheme); }

Tensor made_by_tensor(const Tensor& self, double scale, std::int64_t zero_point) {
    return make_quantized(fn::clone(self, IValue()), scale, zero_point);
}
Tensor made_by_channel(const Tensor& self, const Tensor& scales, const Tensor& zero_points, std::int64_t axis) {
    return make_quantized(fn::clone(self, IValue()), scales, zero_points, axis);
}

// [scale, zero_point] as a pair of 1-element numbers.
std::tuple<double, std::int64_t> choose_per_tensor(const Tensor& self, bool reduce_range) {
    const auto [least, most] = least_and_most(self);
    const Parameters chosen = choose_parameters(least, most, {0, 255}, reduce_range);
    return {static_cast<double>(chosen.scale), static_cast<std::int64_t>(chosen.zero_point)};
}

std::vector<Sample> no_samples(Random&, ScalarType) { return {}; }

constexpr OperatorRecord about(std::string_view schema, std::string_view summary, KernelFunction kernel) {
    return {.schema = schema,
            .summary = summary,
            .kernel = kernel,
            .samples = no_samples,
            .is_gradient_stop = true,
            .sparse = {.as_is = true}};
}

constexpr OperatorRecord kRecords[] = {
    about("aten::quantize_per_tensor(Tensor self, float scale, int zero_point, ScalarType dtype) -> Tensor",
          "Integers that stand for the elements: (q - zero_point) scale.", boxed<quantize_per_tensor>)
        .with_formula("clamp(round(self / scale) + zero_point, least, most)"),
    about("aten::quantize_per_tensor.tensor_qparams(Tensor self, Tensor scale, Tensor zero_point, ScalarType dtype) -> "
          "Tensor",
          "quantize_per_tensor with parameters that are tensors.", boxed<quantize_by_tensors>),
    about("aten::quantize_per_tensor_dynamic(Tensor self, ScalarType dtype, bool reduce_range) -> Tensor",
          "quantize_per_tensor over the range of the elements.", boxed<quantize_dynamic>),
    about("aten::quantize_per_channel(Tensor self, Tensor scales, Tensor zero_points, int axis, ScalarType dtype) -> "
          "Tensor",
          "quantize_per_tensor with a scale and zero point for each slice along the axis.",
          boxed<quantize_per_channel>),
    about("aten::dequantize.self(Tensor self) -> Tensor", "The numbers that the integers stand for.", boxed<dequantize>)
        .with_formula("(q - zero_point) scale"),
    about("aten::int_repr(Tensor self) -> Tensor", "The integers of a quantised tensor.", boxed<integers>),
    about("aten::q_scale(Tensor self) -> float", "The scale of a quantised tensor.", boxed<scale_of>),
    about("aten::q_zero_point(Tensor self) -> int", "The integer that stands for 0.", boxed<zero_point_of>),
    about("aten::q_per_channel_scales(Tensor self) -> Tensor", "The scale of each channel.", boxed<scales_of>),
    about("aten::q_per_channel_zero_points(Tensor self) -> Tensor", "The zero point of each channel.",
          boxed<zero_points_of>),
    about("aten::q_per_channel_axis(Tensor self) -> int", "The dimension of the channels.", boxed<axis_of>),
    about("aten::qscheme(Tensor self) -> QScheme", "How the integers are understood: by tensor or by channel.",
          boxed<scheme_of>),
    about("aten::_make_per_tensor_quantized_tensor(Tensor self, float scale, int zero_point) -> Tensor",
          "A quantised tensor of these integers.", boxed<made_by_tensor>),
    about("aten::_make_per_channel_quantized_tensor(Tensor self, Tensor scale, Tensor zero_point, int axis) -> Tensor",
          "A quantised tensor of these integers, with channels.", boxed<made_by_channel>),
    about("aten::_choose_qparams_per_tensor(Tensor self, bool reduce_range=False) -> (float, int)",
          "Scale and zero point for the range of the elements.", boxed<choose_per_tensor>),
};

}  // namespace

std::span<const OperatorRecord> quantize_records() { return kRecords; }

}  // namespace loupe::quantized_ops
