// SPDX-License-Identifier: Apache-2.0
// Add, Mul, Pow and the like, element by element.
#include <limits>

#include "plugins/onnx/ops/common.h"
#include "plugins/onnx/ops/rounding_to_type.h"
#include "plugins/onnx/proto/onnx.pb.h"

namespace loupe::onnx {
namespace {

// Opset 6 said with an attribute where the smaller operand's dimensions stand.
Tensor aligned(const Tensor& a, const Tensor& b, std::optional<std::int64_t> axis) {
    if (!axis) return b;
    const std::int64_t first = wrap_dim(*axis, a.dim());
    Dims sizes = to_dims(b.sizes());
    while (static_cast<std::int64_t>(sizes.size()) + first < a.dim()) sizes.push_back(1);
    return fn::reshape(b, sizes);
}

Tensor add(const Tensor& a, const Tensor& b) { return fn::add(a, b); }
Tensor sub(const Tensor& a, const Tensor& b) { return fn::sub(a, b); }
Tensor mul(const Tensor& a, const Tensor& b) { return fn::mul(a, b); }
// Whole numbers are divided towards zero.
Tensor div(const Tensor& a, const Tensor& b) {
    return is_integral(a.dtype()) ? fn::div_mode(a, b, "trunc") : fn::div(a, b);
}
Tensor pow(const Tensor& a, const Tensor& b) { return cast(fn::pow(a, b), a.dtype()); }

template <Tensor (*F)(const Tensor&, const Tensor&)>
Tensor old_form(const Tensor& a, const Tensor& b, std::optional<std::int64_t> axis, std::int64_t) {
    return F(a, aligned(a, b, axis));
}

Tensor mod(const Tensor& a, const Tensor& b, std::int64_t fmod) {
    return fmod != 0 ? call_one("aten::fmod.Tensor", {a, b}) : fn::remainder(a, b);
}

template <Tensor (*F)(const Tensor&, const Tensor&)>
Tensor joined(const TensorList& inputs) {
    require(!inputs.empty(), "expected at least one input");
    Tensor all = inputs[0];
    for (std::size_t i = 1; i < inputs.size(); ++i) all = F(all, inputs[i]);
    return inputs.size() == 1 ? fn::alias(all) : all;
}
Tensor larger(const Tensor& a, const Tensor& b) { return fn::maximum(a, b); }
Tensor smaller(const Tensor& a, const Tensor& b) { return fn::minimum(a, b); }
Tensor mean(const TensorList& inputs) {
    const Tensor sum = joined<add>(inputs);
    return fn::div_scalar(sum, Scalar(static_cast<double>(inputs.size())));
}

// Bounds that no element reaches are none: float32's ends are the defaults of narrower floats too.
Tensor clip(const Tensor& input, double min, double max) {
    const double most = input.dtype() == ScalarType::Float16    ? 65504.0
                        : input.dtype() == ScalarType::BFloat16 ? 3.3895313892515355e38
                                                                : std::numeric_limits<double>::infinity();
    const IValue low = min < -most ? IValue() : IValue(min), high = max > most ? IValue() : IValue(max);
    return low.is_none() && high.is_none() ? fn::clone(input) : fn::clamp(input, low, high);
}
Tensor clip_tensors(const Tensor& input, const Tensor& min, const Tensor& max) {
    if (!min.defined() && !max.defined()) return fn::alias(input);
    return fn::clamp_tensor(input, min.defined() ? IValue(min) : IValue(), max.defined() ? IValue(max) : IValue());
}

Tensor bitwise_and(const Tensor& a, const Tensor& b) { return call_one("aten::bitwise_and.Tensor", {a, b}); }
// The low bits alone, where a wider type holds the file's.
Tensor low_bits(const Tensor& x, const std::optional<std::int64_t>& element_type) {
    const DataType* type = element_type ? find_data_type(static_cast<std::int32_t>(*element_type)) : nullptr;
    return type != nullptr && type->computed() == x.dtype() ? cast(rounded_to(x, *type, false), x.dtype()) : x;
}

Tensor bit_shift(const Tensor& x, const Tensor& y, std::string_view direction,
                 const std::optional<std::int64_t>& element_type) {
    require(direction == "LEFT" || direction == "RIGHT", "direction is LEFT or RIGHT");
    // PyTorch's shift by all bits or more is undefined for some types; ONNX's gives 0.
    if (direction == "LEFT") return low_bits(call_one("aten::bitwise_left_shift.Tensor", {x, y}), element_type);
    const Tensor shifted = call_one("aten::bitwise_right_shift.Tensor", {x, y});
    if (element_type != proto::TensorProto::UINT64) return shifted;
    // The highest bit is held as a sign, which moves in: those ones are cleared.
    const Tensor ones = fn::full_like(x, Scalar(-1)), width = fn::full_like(y, Scalar(64));
    const Tensor kept = call_one("aten::bitwise_left_shift.Tensor", {ones, fn::sub(width, y)});
    return fn::where(fn::eq_scalar(y, Scalar(0)), x, bitwise_and(shifted, fn::bitwise_not(kept)));
}
Tensor bitwise_not(const Tensor& x, const std::optional<std::int64_t>& element_type) {
    return low_bits(fn::bitwise_not(x), element_type);
}
Tensor bitwise_or(const Tensor& a, const Tensor& b) { return call_one("aten::bitwise_or.Tensor", {a, b}); }
Tensor bitwise_xor(const Tensor& a, const Tensor& b) { return call_one("aten::bitwise_xor.Tensor", {a, b}); }

#define LOUPE_OLD "(Tensor A, Tensor B, *, int? axis=None, int broadcast=0) -> Tensor"

constexpr OperatorRecord kRecords[] = {
    made_of("onnx::Add" LOUPE_OLD, "The sum of two tensors.", boxed<old_form<add>>),
    made_of("onnx::Add.v7(Tensor A, Tensor B) -> Tensor", "The sum of two tensors, broadcast.", boxed<add>),
    made_of("onnx::Sub" LOUPE_OLD, "The difference of two tensors.", boxed<old_form<sub>>),
    made_of("onnx::Sub.v7(Tensor A, Tensor B) -> Tensor", "The difference of two tensors, broadcast.", boxed<sub>),
    made_of("onnx::Mul" LOUPE_OLD, "The product of two tensors, element by element.", boxed<old_form<mul>>),
    made_of("onnx::Mul.v7(Tensor A, Tensor B) -> Tensor", "The product of two tensors, element by element, broadcast.",
            boxed<mul>),
    made_of("onnx::Div" LOUPE_OLD, "The quotient of two tensors.", boxed<old_form<div>>),
    made_of("onnx::Div.v7(Tensor A, Tensor B) -> Tensor",
            "The quotient of two tensors, broadcast; of whole numbers towards zero.", boxed<div>),
    made_of("onnx::Pow(Tensor X, Tensor Y, *, int? axis=None, int broadcast=0) -> Tensor", "X to the power of Y.",
            boxed<old_form<pow>>),
    made_of("onnx::Pow.v7(Tensor X, Tensor Y) -> Tensor", "X to the power of Y, with X's type.", boxed<pow>),
    made_of("onnx::Mod(Tensor A, Tensor B, *, int fmod=0) -> Tensor",
            "The remainder of a division: with B's sign, or with A's (fmod).", boxed<mod>),
    made_of("onnx::Sum(Tensor[] data_0) -> Tensor", "The sum of tensors, broadcast.", boxed<joined<add>>),
    made_of("onnx::Mean(Tensor[] data_0) -> Tensor", "The mean of tensors, broadcast.", boxed<mean>),
    made_of("onnx::Max(Tensor[] data_0) -> Tensor", "The largest element of tensors, broadcast.",
            boxed<joined<larger>>),
    made_of("onnx::Min(Tensor[] data_0) -> Tensor", "The smallest element of tensors, broadcast.",
            boxed<joined<smaller>>),
    made_of("onnx::Clip(Tensor input, *, float min=-3.4028234663852886e+38, float max=3.4028234663852886e+38) "
            "-> Tensor",
            "Elements limited to a range.", boxed<clip>),
    made_of("onnx::Clip.v11(Tensor input, Tensor? min=None, Tensor? max=None) -> Tensor",
            "Elements limited to a range.", boxed<clip_tensors>),
    made_of("onnx::BitShift(Tensor X, Tensor Y, *, str direction, int? element_type=None) -> Tensor", "Bits shifted.",
            boxed<bit_shift>),
    made_of("onnx::BitwiseAnd(Tensor A, Tensor B) -> Tensor", "Bits set in both.", boxed<bitwise_and>),
    made_of("onnx::BitwiseOr(Tensor A, Tensor B) -> Tensor", "Bits set in either.", boxed<bitwise_or>),
    made_of("onnx::BitwiseXor(Tensor A, Tensor B) -> Tensor", "Bits set in exactly one.", boxed<bitwise_xor>),
    made_of("onnx::BitwiseNot(Tensor X, *, int? element_type=None) -> Tensor", "Bits inverted.", boxed<bitwise_not>),
};

#undef LOUPE_OLD

}  // namespace

std::span<const OperatorRecord> arithmetic_records() { return kRecords; }

}  // namespace loupe::onnx
