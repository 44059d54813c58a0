// SPDX-License-Identifier: Apache-2.0
// Numbers as small whole ones, with a scale and a zero point.
#include "plugins/onnx/ops/quantize.h"

#include <cmath>

#include "plugins/onnx/ops/rounding_to_type.h"
#include "plugins/onnx/proto/onnx.pb.h"

namespace loupe::onnx {

Tensor along_axis(const Tensor& parameter, const Tensor& x, std::int64_t axis, std::int64_t block_size) {
    if (parameter.numel() == 1 && parameter.dim() <= 1) return fn::reshape(parameter, Dims());
    const std::int64_t dim = wrap_dim(axis, x.dim());
    if (block_size > 0) {
        const Tensor times = scalar_tensor(Scalar(block_size), ScalarType::Int64);
        const Tensor wide = fn::repeat_interleave(parameter, fn::expand(times, Dims{parameter.size(dim)}), dim);
        return fn::narrow(wide, dim, 0, x.size(dim));
    }
    if (parameter.dim() != 1) return parameter;
    Dims sizes(static_cast<std::size_t>(x.dim()), 1);
    sizes[static_cast<std::size_t>(dim)] = parameter.numel();
    return fn::reshape(parameter, sizes);
}

const DataType& type_of_values(const Tensor& values) { return *find_data_type(data_type_of(values.dtype())); }

Tensor dequantized(const Tensor& x, const Tensor& scale, const Tensor& zero_point, std::int64_t axis,
                   std::int64_t block_size) {
    // Differences of small whole numbers are exact in float32; those of int32 are taken in float64.
    const bool is_wide = x.dtype() == ScalarType::Int32 || x.dtype() == ScalarType::Int64;
    Tensor number = cast(x, is_wide ? ScalarType::Float64 : ScalarType::Float32);
    if (zero_point.defined())
        number = fn::sub(number, cast(along_axis(zero_point, x, axis, block_size), number.dtype()));
    const Tensor by = along_axis(scale, x, axis, block_size);
    return cast(fn::mul(number, cast(by, number.dtype())), scale.dtype());
}

namespace {

std::pair<double, double> range_of(const DataType& type) {
    const bool is_signed = type.name.starts_with("int");
    const double all = std::ldexp(1.0, type.bits);
    return is_signed ? std::pair(-all / 2, all / 2 - 1) : std::pair(0.0, all - 1);
}

}  // namespace

Tensor quantized(const Tensor& x, const Tensor& scale, const Tensor& zero_point, std::int64_t axis,
                 std::int64_t block_size, const DataType& type, bool saturates) {
    const bool is_narrow = x.dtype() == ScalarType::Float16 || x.dtype() == ScalarType::BFloat16;
    const ScalarType work = is_narrow || is_integral(x.dtype()) ? ScalarType::Float32 : x.dtype();
    const Tensor by = cast(along_axis(scale, x, axis, block_size), work);
    Tensor number = fn::div(cast(x, work), by);
    if (is_floating(type.held)) {
        if (zero_point.defined()) number = fn::add(number, cast(along_axis(zero_point, x, axis, block_size), work));
        return rounded_to(number, type, saturates);
    }
    number = fn::round(number);
    if (zero_point.defined()) number = fn::add(number, cast(along_axis(zero_point, x, axis, block_size), work));
    const auto [low, high] = range_of(type);
    return cast(fn::clamp(number, Scalar(low), Scalar(high)), type.held);
}

namespace {

const DataType& output_type(const Tensor& zero_point, std::int64_t output_dtype) {
    if (const DataType* given = find_data_type(static_cast<std::int32_t>(output_dtype))) return *given;
    if (zero_point.defined()) return type_of_values(zero_point);
    return *find_data_type(proto::TensorProto::UINT8);
}

Tensor quantize_linear(const Tensor& x, const Tensor& scale, const Tensor& zero_point, std::int64_t axis,
                       std::int64_t block_size, std::int64_t output_dtype, std::int64_t, std::int64_t saturate) {
    return quantized(x, scale, zero_point, axis, block_size, output_type(zero_point, output_dtype), saturate != 0);
}

Tensor dequantize_linear(const Tensor& x, const Tensor& scale, const Tensor& zero_point, std::int64_t axis,
                         std::int64_t block_size, std::int64_t output_dtype) {
    const Tensor out = dequantized(x, scale, zero_point, axis, block_size);
    return output_dtype != 0 ? cast(out, held_dtype(output_dtype)) : out;
}

// To uint8 by the input's own range, which includes 0.
fn::ThreeTensors dynamic_quantize(const Tensor& x) {
    const Tensor zero = like_number(x, 0);
    const Tensor low = fn::minimum(fn::amin(x, Dims(), false), zero);
    const Tensor high = fn::maximum(fn::amax(x, Dims(), false), zero);
    const Tensor scale = fn::div_scalar(fn::sub(high, low), Scalar(255.0));
    const Tensor from = fn::clamp(fn::round(fn::div(fn::neg(low), scale)), Scalar(0.0), Scalar(255.0));
    const Tensor zero_point = cast(from, ScalarType::UInt8);
    return {quantized(x, scale, zero_point, 0, 0, type_of_values(zero_point), true), scale, zero_point};
}

constexpr OperatorRecord kRecords[] = {
    reading("onnx::QuantizeLinear(Tensor x, Tensor y_scale, Tensor? y_zero_point=None, *, int axis=1, int "
            "block_size=0, int output_dtype=0, int precision=0, int saturate=1) -> Tensor",
            "x / scale + zero point, rounded to small whole numbers (or float8).", boxed<quantize_linear>),
    made_of("onnx::DequantizeLinear(Tensor x, Tensor x_scale, Tensor? x_zero_point=None, *, int axis=1, int "
            "block_size=0, int output_dtype=0) -> Tensor",
            "(x - zero point) scale.", boxed<dequantize_linear>),
    made_of("onnx::DynamicQuantizeLinear(Tensor x) -> (Tensor, Tensor, Tensor)",
            "x as bytes by its own range, the scale and the zero point.", boxed<dynamic_quantize>),
};

}  // namespace

std::span<const OperatorRecord> quantize_records() { return kRecords; }

}  // namespace loupe::onnx
