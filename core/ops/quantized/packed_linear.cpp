// SPDX-License-Identifier: Apache-2.0
// Linear layers on packed weights of 8 and 16 bits: torch.ao.quantization's dynamic and static quantisation.

#include "core/autograd/grad_mode.h"
#include "core/ops/quantized/family.h"
#include "core/ops/quantized/products.h"

namespace loupe::quantized_ops {
namespace {

const PackedLinear& packed_of(const IValue& value) {
    return packed_as<PackedLinear>(value, "quantized.LinearPackedParamsBase");
}

IValue prepack(const Tensor& weight, const Tensor& bias) { return pack_linear(weight, bias); }
IValue prepack_fp16(const Tensor& weight, const Tensor& bias) {
    return pack_linear(fn::to_dtype(weight, number_of(ScalarType::Float16)), bias);
}
std::tuple<IValue, IValue> unpack(const IValue& value) {
    const PackedLinear& packed = packed_of(value);
    return {IValue(packed.weight), packed.bias.defined() ? IValue(packed.bias) : IValue()};
}

Tensor linear_dynamic(const Tensor& x, const IValue& weight, bool reduce_range) {
    return linear_of_floats(x, packed_of(weight), reduce_range);
}
Tensor linear_relu_dynamic(const Tensor& x, const IValue& weight, bool reduce_range) {
    return fn::relu(linear_dynamic(x, weight, reduce_range));
}

Tensor linear_dynamic_fp16(const Tensor& x, const IValue& weight) {
    const GradModeScope no_grad(false);
    return linear_of_halves(x, packed_of(weight));
}
Tensor linear_relu_dynamic_fp16(const Tensor& x, const IValue& weight) {
    return fn::relu(linear_dynamic_fp16(x, weight));
}

Tensor product(const Tensor& x, const IValue& weight, const ProductOutput& to) {
    const QuantizedParts& input = quantized_parts(x);
    require(!input.is_by_channel(), "quantized::linear takes an input with one scale");
    return linear_product(input.integers, input.scale, input.zero_point, packed_of(weight), to);
}

template <bool IsRectified>
Tensor linear_static(const Tensor& x, const IValue& weight, double scale, std::int64_t zero_point) {
    const ProductOutput to{scale, zero_point, quantized_parts(x).integers.dtype(), IsRectified};
    return make_quantized(product(x, weight, to), scale, zero_point);
}
Tensor linear_leaky_relu(const Tensor& x, const IValue& weight, double scale, std::int64_t zero_point, double slope) {
    const Tensor out = fn::leaky_relu(product(x, weight, {}), Scalar(slope));
    return quantize(out, scale, zero_point, quantized_parts(x).integers.dtype());
}
Tensor linear_tanh(const Tensor& x, const IValue& weight, double scale, std::int64_t zero_point) {
    return quantize(fn::tanh(product(x, weight, {})), scale, zero_point, quantized_parts(x).integers.dtype());
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
         kStatic, boxed<linear_static<false>>),
    call("quantized::linear_relu(Tensor X, __torch__.torch.classes.quantized.LinearPackedParamsBase W_prepack, float "
         "Y_scale_i, int Y_zero_point_i) -> Tensor Y",
         kStatic, boxed<linear_static<true>>),
    call("quantized::linear_leaky_relu(Tensor X, __torch__.torch.classes.quantized.LinearPackedParamsBase W_prepack, "
         "float Y_scale_i, int Y_zero_point_i, float negative_slope) -> Tensor Y",
         kStatic, boxed<linear_leaky_relu>),
    call("quantized::linear_tanh(Tensor X, __torch__.torch.classes.quantized.LinearPackedParamsBase W_prepack, float "
         "Y_scale_i, int Y_zero_point_i) -> Tensor Y",
         kStatic, boxed<linear_tanh>),
    call("quantized::linear_relu_dynamic_fp16(Tensor X, __torch__.torch.classes.quantized.LinearPackedParamsBase "
         "W_prepack) -> Tensor Y",
         "Linear with a weight of float16.", boxed<linear_relu_dynamic_fp16>),
};

}  // namespace

std::span<const OperatorRecord> packed_linear_records() { return kRecords; }

}  // namespace loupe::quantized_ops
