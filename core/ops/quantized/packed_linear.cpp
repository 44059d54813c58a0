// SPDX-License-Identifier: Apache-2.0
// Linear layers on packed weights of 8 and 16 bits: torch.ao.quantization's dynamic and static quantisation.

#include "core/autograd/grad_mode.h"
#include "core/autograd/variable.h"
#include "core/ops/quantized/family.h"
#include "core/ops/quantized/packed.h"
#include "core/ops/quantized/quantized.h"

namespace loupe {

using namespace quantized_ops;

IValue pack_linear(const Tensor& weight, const Tensor& bias) {
    require(weight.defined() && weight.dim() == 2,
            "The weight tensor for quantized::linear_prepack (fbgemm) should be 2-dimensional.");
    const bool is_int8 = is_quantized(weight) && quantized_parts(weight).integers.dtype() == ScalarType::Int8;
    require(is_int8 || is_floating(weight.dtype()), "quantized::linear_prepack takes a weight of torch.qint8");
    require(!is_int8 || !quantized_parts(weight).is_by_channel() || quantized_parts(weight).axis == 0,
            "quantized::linear_prepack takes a weight whose channels are its rows");
    require(!bias.defined() || (bias.dim() == 1 && bias.size(0) == weight.size(0)),
            "bias should have N elements: ", weight.size(0));
    return IValue::other(make_ptr<PackedLinear>(weight, bias.defined() ? detach(bias) : bias));
}

namespace quantized_ops {
namespace {

Tensor cast(const Tensor& t, ScalarType dtype) { return fn::to_dtype(t, number_of(dtype)); }

const PackedLinear& packed_of(const IValue& value) {
    const auto packed = value.is_other() ? value.to_other_as<PackedLinear>() : Ptr<PackedLinear>();
    require(packed != nullptr, "expected an object of torch.classes.quantized.LinearPackedParamsBase");
    return *packed;
}

IValue prepack(const Tensor& weight, const Tensor& bias) { return pack_linear(weight, bias); }
IValue prepack_fp16(const Tensor& weight, const Tensor& bias) {
    return pack_linear(cast(weight, ScalarType::Float16), bias);
}
std::tuple<IValue, IValue> unpack(const IValue& value) {
    const PackedLinear& packed = packed_of(value);
    return {IValue(packed.weight), packed.bias.defined() ? IValue(packed.bias) : IValue()};
}

// A factor and a zero point for each row of the weight; [1] or [rows].
struct RowParameters {
    Tensor scales, zero_points;
};
RowParameters rows_of(const QuantizedParts& weight) {
    if (weight.is_by_channel())
        return {cast(weight.scales, ScalarType::Float32), cast(weight.zero_points, ScalarType::Int32)};
    return {tensor_of<float>({static_cast<float>(weight.scale)}, {1}),
            tensor_of<std::int32_t>({static_cast<std::int32_t>(weight.zero_point)}, {1})};
}

// x [..., K] of integers with one scale: sums in int32, exact, scaled back.
Tensor integer_product(const Tensor& x, double scale, std::int64_t zero_point, const PackedLinear& packed) {
    const QuantizedParts& weight = quantized_parts(packed.weight);
    const RowParameters rows = rows_of(weight);
    require(x.dim() >= 1 && x.size(-1) == weight.integers.size(1), "The number of columns in the input (",
            x.dim() == 0 ? 0 : x.size(-1), ") should be equal to that of the weight (", weight.integers.size(1), ")");
    const Tensor flat = fn::reshape(x, Dims{-1, x.size(-1)});
    const Tensor left = fn::sub_scalar(cast(flat, ScalarType::Int32), Scalar(zero_point), Scalar(1));
    const Tensor right =
        fn::sub(cast(weight.integers, ScalarType::Int32), fn::unsqueeze(rows.zero_points, 1), Scalar(1));
    const Tensor sums = cast(fn::mm(left, fn::t(right)), ScalarType::Float32);
    Tensor out = fn::mul(sums, fn::mul_scalar(rows.scales, Scalar(static_cast<double>(static_cast<float>(scale)))));
    if (packed.bias.defined()) out = fn::add(out, cast(packed.bias, ScalarType::Float32), Scalar(1));
    Dims sizes = to_dims(x.sizes());
    sizes.back() = weight.integers.size(0);
    return fn::reshape(out, sizes);
}

Tensor linear_dynamic(const Tensor& x, const IValue& weight, bool reduce_range) {
    const PackedLinear& packed = packed_of(weight);
    require(x.dtype() == ScalarType::Float32,
            "quantized::linear_dynamic (fbgemm): data type of input should be float.");
    require(is_quantized(packed.weight), "quantized::linear_dynamic takes a weight of torch.qint8");
    const auto [least, most] = least_and_most(x);
    const Parameters chosen = choose_parameters(least, most, {0, 255}, reduce_range);
    const double scale = static_cast<double>(chosen.scale);
    const Tensor q = quantize(x, scale, chosen.zero_point, ScalarType::UInt8);
    return integer_product(quantized_parts(q).integers, scale, chosen.zero_point, packed);
}
Tensor linear_relu_dynamic(const Tensor& x, const IValue& weight, bool reduce_range) {
    return fn::relu(linear_dynamic(x, weight, reduce_range));
}

Tensor linear_dynamic_fp16(const Tensor& x, const IValue& weight) {
    const GradModeScope no_grad(false);
    const PackedLinear& packed = packed_of(weight);
    require(!is_quantized(packed.weight), "quantized::linear_dynamic_fp16 takes a weight of float16");
    return fn::linear(x, cast(packed.weight, ScalarType::Float32),
                      packed.bias.defined() ? cast(packed.bias, ScalarType::Float32) : Tensor());
}

Tensor linear_static(const Tensor& x, const IValue& weight, double scale, std::int64_t zero_point) {
    const QuantizedParts& input = quantized_parts(x);
    require(!input.is_by_channel(), "quantized::linear takes an input with one scale");
    const Tensor out = integer_product(input.integers, input.scale, input.zero_point, packed_of(weight));
    return quantize(out, scale, zero_point, input.integers.dtype());
}
Tensor linear_relu_static(const Tensor& x, const IValue& weight, double scale, std::int64_t zero_point) {
    const QuantizedParts& input = quantized_parts(x);
    const Tensor out = integer_product(input.integers, input.scale, input.zero_point, packed_of(weight));
    return quantize(fn::relu(out), scale, zero_point, input.integers.dtype());
}

constexpr OperatorRecord call(std::string_view schema, std::string_view summary, KernelFunction kernel) {
    return {.schema = schema, .summary = summary, .kernel = kernel, .is_gradient_stop = true};
}

constexpr std::string_view kDynamic =
    "Linear with a weight of 8 bits; the input is rounded to 8 bits in its own range.";
constexpr std::string_view kStatic = "Linear of quantised elements with a weight of 8 bits.";

constexpr OperatorRecord kRecords[] = {
    call("quantized::linear_prepack(Tensor W, Tensor? B=None) -> "
         "__torch__.torch.classes.quantized.LinearPackedParamsBase W_prepack",
         "A weight of qint8 and its bias as one object.", boxed<prepack>),
    call("quantized::linear_prepack_fp16(Tensor W, Tensor? B=None) -> "
         "__torch__.torch.classes.quantized.LinearPackedParamsBase W_prepack",
         "A weight, rounded to float16, and its bias as one object.", boxed<prepack_fp16>),
    call("quantized::linear_unpack(__torch__.torch.classes.quantized.LinearPackedParamsBase W_prepack) -> (Tensor "
         "W_origin, Tensor? B_origin)",
         "The weight and bias of a packed linear layer.", boxed<unpack>),
    call("quantized::linear_unpack_fp16(__torch__.torch.classes.quantized.LinearPackedParamsBase W_prepack) -> (Tensor "
         "W_origin, Tensor? B_origin)",
         "The weight and bias of a packed linear layer.", boxed<unpack>),
    call("quantized::linear_dynamic(Tensor X, __torch__.torch.classes.quantized.LinearPackedParamsBase W_prepack, bool "
         "reduce_range=False) -> Tensor Y",
         kDynamic, boxed<linear_dynamic>)
        .with_formula("(q(X) W^T) scale_X scale_W + B"),
    call("quantized::linear_relu_dynamic(Tensor X, __torch__.torch.classes.quantized.LinearPackedParamsBase W_prepack, "
         "bool reduce_range=False) -> Tensor Y",
         kDynamic, boxed<linear_relu_dynamic>)
        .with_formula("max((q(X) W^T) scale_X scale_W + B, 0)"),
    call("quantized::linear_dynamic_fp16(Tensor X, __torch__.torch.classes.quantized.LinearPackedParamsBase W_prepack) "
         "-> Tensor Y",
         "Linear with a weight of float16.", boxed<linear_dynamic_fp16>),
    call("quantized::linear(Tensor X, __torch__.torch.classes.quantized.LinearPackedParamsBase W_prepack, float "
         "Y_scale_i, int Y_zero_point_i) -> Tensor Y",
         kStatic, boxed<linear_static>),
    call("quantized::linear_relu(Tensor X, __torch__.torch.classes.quantized.LinearPackedParamsBase W_prepack, float "
         "Y_scale_i, int Y_zero_point_i) -> Tensor Y",
         kStatic, boxed<linear_relu_static>),
};

}  // namespace

std::span<const OperatorRecord> packed_linear_records() { return kRecords; }

}  // namespace quantized_ops
}  // namespace loupe
