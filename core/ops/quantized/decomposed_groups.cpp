// SPDX-License-Identifier: Apache-2.0
// quantized_decomposed: by token, a row each, and by groups within a row.

#include "core/ops/quantized/decomposed.h"
#include "core/ops/quantized/family.h"

namespace loupe::quantized_ops {
namespace {

const OperatorHandle<> op_clamp_min("aten::clamp_min");

fn::TwoTensors choose_per_token(const Tensor& input, ScalarType dtype) {
    require(dtype == ScalarType::Int8, "unsupported dtype in choose_qparams_per_token: torch.", dtype_name(dtype));
    Tensor greatest = fn::amax(fn::abs(input), Dims{-1}, true);
    if (greatest.dtype() == ScalarType::Float16) greatest = to(greatest, ScalarType::Float32);
    const Tensor scales = fn::div_scalar(op_clamp_min(greatest, Scalar(1e-5)), Scalar(127));
    return {scales, fn::zeros_like(scales)};
}

// As XNNPACK chooses them: the end of the range with the smaller error stays exact.
fn::TwoTensors choose_per_token_asymmetric(const Tensor& input, ScalarType) {
    constexpr double kLeast = -128, kMost = 127;
    const Tensor low = fn::clamp(fn::amin(input, Dims{-1}, true), IValue(), Scalar(0));
    const Tensor high = fn::clamp(fn::amax(input, Dims{-1}, true), Scalar(0), IValue());
    const Tensor steps = fn::div_scalar(fn::sub(high, low, Scalar(1)), Scalar(kMost - kLeast));
    const Tensor scale = op_clamp_min(steps, Scalar(static_cast<double>(std::numeric_limits<float>::epsilon())));
    const Tensor by_low = fn::div(low, scale), by_high = fn::div(high, scale);
    const Tensor errors = fn::add(fn::add_scalar(by_low, Scalar(kLeast), Scalar(1)),
                                  fn::add_scalar(by_high, Scalar(kMost), Scalar(1)), Scalar(1));
    const Tensor point = fn::where(fn::gt_scalar(errors, Scalar(0)), fn::rsub_scalar(by_low, Scalar(kLeast), Scalar(1)),
                                   fn::rsub_scalar(by_high, Scalar(kMost), Scalar(1)));
    return {to(scale, ScalarType::Float64),
            to(fn::round(fn::clamp(point, Scalar(kLeast), Scalar(kMost))), ScalarType::Int64)};
}

void check_tokens(const Tensor& input, const Tensor& scales, const Tensor& zero_points) {
    const std::int64_t tokens = input.numel() / std::max<std::int64_t>(input.size(-1), 1);
    require(tokens == scales.numel(), "num_tokens: ", tokens, " scales: ", shape_list_text(scales.sizes()));
    require(tokens == zero_points.numel(), "num_tokens: ", tokens,
            " zero_points: ", shape_list_text(zero_points.sizes()));
}

// Rounded once, after the zero point is added.
Tensor rounded_with(const Tensor& input, const Tensor& scales, const Tensor& zero_points, std::int64_t quant_min,
                    std::int64_t quant_max, ScalarType dtype) {
    const Tensor moved = fn::add(fn::mul(input, fn::reciprocal(scales)), zero_points, Scalar(1));
    return to(fn::clamp(fn::round(moved), Scalar(quant_min), Scalar(quant_max)), dtype);
}

Tensor quantize_per_token(const Tensor& input, const Tensor& scales, const Tensor& zero_points, std::int64_t quant_min,
                          std::int64_t quant_max, ScalarType dtype) {
    check_quant_bounds(quant_min, quant_max, dtype);
    check_tokens(input, scales, zero_points);
    return rounded_with(input, scales, zero_points, quant_min, quant_max, dtype);
}
Tensor dequantize_per_token(const Tensor& input, const Tensor& scales, const Tensor& zero_points, std::int64_t,
                            std::int64_t, ScalarType, ScalarType output_dtype) {
    return to(fn::mul(fn::sub(input, zero_points, Scalar(1)), scales), output_dtype);
}

std::int64_t checked_group(const Tensor& input, const Tensor& scales, std::int64_t group_size) {
    require(group_size > 1, "group_size must be greater than 1, got ", group_size);
    require(input.dim() == 2, "expected a matrix, got ", input.dim(), " dimensions");
    if (group_size > input.size(-1) && scales.size(-1) == 1) group_size = input.size(-1);
    require(group_size > 0 && input.size(-1) % group_size == 0, "rows of ", input.size(-1),
            " elements cannot be divided into groups of ", group_size);
    return group_size;
}

Tensor quantize_per_channel_group(const Tensor& input, const Tensor& scales, const Tensor& zero_points,
                                  std::int64_t quant_min, std::int64_t quant_max, ScalarType dtype,
                                  std::int64_t group_size) {
    const Tensor groups = fn::reshape(input, Dims{-1, checked_group(input, scales, group_size)});
    const Tensor made = rounded_with(groups, fn::reshape(scales, Dims{-1, 1}), fn::reshape(zero_points, Dims{-1, 1}),
                                     quant_min, quant_max, dtype);
    return fn::reshape(made, to_dims(input.sizes()));
}
Tensor dequantize_per_channel_group(const Tensor& input, const Tensor& scales, const Tensor& zero_points, std::int64_t,
                                    std::int64_t, ScalarType, std::int64_t group_size, ScalarType output_dtype) {
    const Tensor groups = fn::reshape(input, Dims{-1, checked_group(input, scales, group_size)});
    const Tensor moved =
        zero_points.defined() ? fn::sub(groups, fn::reshape(zero_points, Dims{-1, 1}), Scalar(1)) : groups;
    const Tensor made = fn::mul(moved, fn::reshape(scales, Dims{-1, 1}));
    return to(fn::reshape(made, to_dims(input.sizes())), output_dtype);
}

constexpr std::string_view kRounds = "clamp(round(input / scale + zero_point), quant_min, quant_max)";
constexpr std::string_view kScales = "(input - zero_point) scale";

constexpr OperatorRecord kRecords[] = {
    decomposed("quantized_decomposed::choose_qparams_per_token(Tensor input, ScalarType dtype) -> (Tensor, Tensor)",
               "A scale for each row, with 0 in the middle.", "scale = max |input| / 127", boxed<choose_per_token>),
    decomposed("quantized_decomposed::choose_qparams_per_token_asymmetric(Tensor input, ScalarType dtype) -> (Tensor, "
               "Tensor)",
               "A scale and a zero point for the range of each row.", "scale = (max input - min input) / 255",
               boxed<choose_per_token_asymmetric>),
    decomposed("quantized_decomposed::_choose_qparams_per_token_asymmetric_impl(Tensor input, ScalarType dtype) -> "
               "(Tensor, Tensor)",
               "A scale and a zero point for the range of each row.", "scale = (max input - min input) / 255",
               boxed<choose_per_token_asymmetric>),
    decomposed("quantized_decomposed::quantize_per_token(Tensor input, Tensor scales, Tensor zero_points, int "
               "quant_min, int quant_max, ScalarType dtype) -> Tensor",
               "Integers that stand for the elements, with a scale for each row.", kRounds, boxed<quantize_per_token>),
    decomposed("quantized_decomposed::dequantize_per_token(Tensor input, Tensor scales, Tensor zero_points, int "
               "quant_min, int quant_max, ScalarType dtype, ScalarType output_dtype) -> Tensor",
               "The numbers that integers stand for, with a scale for each row.", kScales, boxed<dequantize_per_token>),
    decomposed("quantized_decomposed::quantize_per_channel_group(Tensor input, Tensor scales, Tensor zero_points, int "
               "quant_min, int quant_max, ScalarType dtype, int group_size) -> Tensor",
               "Integers that stand for the elements, with a scale for each group in a row.", kRounds,
               boxed<quantize_per_channel_group>),
    decomposed("quantized_decomposed::dequantize_per_channel_group(Tensor input, Tensor scales, Tensor? zero_points, "
               "int quant_min, int quant_max, ScalarType dtype, int group_size, ScalarType output_dtype) -> "
               "Tensor",
               "The numbers that integers stand for, with a scale for each group in a row.", kScales,
               boxed<dequantize_per_channel_group>),
};

}  // namespace

std::span<const OperatorRecord> decomposed_group_records() { return kRecords; }

}  // namespace loupe::quantized_ops
