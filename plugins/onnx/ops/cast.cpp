// SPDX-License-Identifier: Apache-2.0
// Conversions between element types. What a type cannot hold is rounded to it, though wider elements hold it here.
#include <bit>
#include <cmath>
#include <limits>

#include "plugins/onnx/ops/common.h"
#include "plugins/onnx/ops/rounding_to_type.h"
#include "plugins/onnx/proto/data_types.h"
#include "plugins/onnx/proto/onnx.pb.h"

namespace loupe::onnx {

Tensor rounded_to(const Tensor& x, const DataType& type, bool saturates) {
    if (type.is_exact && !is_float8(type.held)) return cast(x, type.held);
    if (is_integral(type.held)) {
        // The low bits, as C converts.
        const Tensor wide = cast(x, ScalarType::Int64);
        if (type.bits >= 64) return wide;
        const std::int64_t range = std::int64_t{1} << type.bits;
        Tensor low = fn::remainder(wide, scalar_tensor(Scalar(range), ScalarType::Int64));
        const bool is_signed = type.name.starts_with("int");
        if (is_signed) {
            const Tensor half = scalar_tensor(Scalar(range / 2), ScalarType::Int64);
            low = fn::sub(fn::remainder(fn::add(low, half), scalar_tensor(Scalar(range), ScalarType::Int64)), half);
        }
        return cast(low, type.held);
    }
    const Tensor in = fn::contiguous(fn::detach(cast(x, ScalarType::Float32)));
    Tensor out = empty(in.sizes(), ScalarType::Float32);
    const float* from = in.data<float>();
    float* to = out.data<float>();
    for (std::int64_t i = 0; i < in.numel(); ++i) to[i] = rounded_to_small_float(type, from[i], saturates);
    return cast(out, type.held);
}

namespace {

// A power of two, by the exponent of float32 alone: a number between two of them goes up, down or to the nearest.
float power_of_two(float value, std::string_view mode, bool saturates) {
    constexpr std::uint32_t kFraction = 0x7FFFFF, kHalf = 0x400000, kMost = 0xFE;
    const auto bits = std::bit_cast<std::uint32_t>(value);
    std::uint32_t exponent = bits >> 23 & 0xFF;
    if (exponent == 0xFF) return std::numeric_limits<float>::quiet_NaN();
    const std::uint32_t fraction = bits & kFraction;
    const bool is_over_half = fraction > kHalf || (fraction == kHalf && exponent > 0);
    const bool goes_up = mode == "up" ? fraction != 0 : mode == "nearest" && is_over_half;
    if (goes_up && exponent == kMost && !saturates) return std::numeric_limits<float>::quiet_NaN();
    if (goes_up && exponent < kMost) ++exponent;
    return std::ldexp(1.0F, static_cast<int>(exponent) - 127);
}
Tensor powers_of_two(const Tensor& x, std::string_view mode, bool saturates) {
    require(mode == "up" || mode == "down" || mode == "nearest", "round_mode is up, down or nearest, not ", mode);
    const Tensor in = fn::contiguous(fn::detach(cast(x, ScalarType::Float32)));
    Tensor out = empty(in.sizes(), ScalarType::Float32);
    for (std::int64_t i = 0; i < in.numel(); ++i)
        out.data<float>()[i] = power_of_two(in.data<float>()[i], mode, saturates);
    return cast(out, ScalarType::Float8E8M0FNU);
}

const DataType& type_or_fail(std::int64_t number) {
    const DataType* type = find_data_type(static_cast<std::int32_t>(number));
    if (type == nullptr) fail("no tensors of elements ", data_type_name(static_cast<std::int32_t>(number)));
    return *type;
}

Tensor cast_to(const Tensor& x, std::int64_t to, std::int64_t saturate, std::string_view round_mode) {
    const DataType& type = type_or_fail(to);
    if (type.name == "float8e8m0") return powers_of_two(x, round_mode, saturate != 0);
    return rounded_to(x, type, saturate != 0);
}
// to: the type of target in the file, which a wider one may hold here.
Tensor cast_like(const Tensor& x, const Tensor& target, std::int64_t saturate, std::string_view round_mode,
                 const std::optional<std::int64_t>& to) {
    return cast_to(x, to ? *to : data_type_of(target.dtype()), saturate, round_mode);
}
// The whole numbers of as many bits, and back.
ScalarType whole_dtype(std::int32_t bits) {
    return bits <= 8    ? ScalarType::Int8
           : bits == 16 ? ScalarType::Int16
           : bits == 32 ? ScalarType::Int32
                        : ScalarType::Int64;
}
Tensor viewed(const Tensor& x, ScalarType dtype) {
    if (dtype == ScalarType::Bool || x.dtype() == ScalarType::Bool) return cast(x, dtype);
    return call_one("aten::view.dtype", {x, static_cast<std::int64_t>(dtype)});
}
template <typename To, typename From, typename Function>
Tensor mapped(const Tensor& x, ScalarType from, ScalarType to, Function function) {
    const Tensor in = fn::contiguous(fn::detach(cast(x, from)));
    Tensor out = empty(in.sizes(), to);
    for (std::int64_t i = 0; i < in.numel(); ++i) out.data<To>()[i] = function(in.data<From>()[i]);
    return out;
}
Tensor bits_of(const Tensor& x, const DataType& type) {
    if (type.is_exact) return cast(viewed(x, whole_dtype(type.bits)), ScalarType::Int64);
    if (is_integral(type.held)) return cast(x, ScalarType::Int64);
    return mapped<std::int64_t, float>(x, ScalarType::Float32, ScalarType::Int64,
                                       [&](float value) { return small_float_bits(type, value); });
}
Tensor from_bits(const Tensor& bits, const DataType& type) {
    if (type.is_exact) return viewed(cast(bits, whole_dtype(type.bits)), type.held);
    if (is_integral(type.held)) return rounded_to(bits, type, false);
    const std::int64_t mask = (std::int64_t{1} << type.bits) - 1;
    return mapped<float, std::int64_t>(bits, ScalarType::Int64, ScalarType::Float32, [&](std::int64_t value) {
        return small_float(type, static_cast<std::uint32_t>(value & mask));
    });
}
// The same bits as elements of another type. element_type: that of the input in the file, where a wider one holds it.
Tensor bit_cast(const Tensor& x, std::int64_t to, const std::optional<std::int64_t>& element_type) {
    const DataType& type = type_or_fail(to);
    const DataType& from = type_or_fail(element_type ? *element_type : data_type_of(x.dtype()));
    require(from.bits == type.bits && from.held == x.dtype(), "the bits of ", describe(x), " as ", type.name);
    return type.is_exact && from.is_exact ? viewed(x, type.held) : from_bits(bits_of(x, from), type);
}

// Opset 1 named the type.
Tensor cast_to_name(const Tensor& x, std::string_view to) {
    for (const DataType& type : data_types()) {
        std::string name(type.name);
        for (char& c : name) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
        if (name == to) return rounded_to(x, type, true);
    }
    fail("no elements of type ", to);
}

constexpr OperatorRecord kRecords[] = {
    made_of("onnx::Cast(Tensor input, *, str to) -> Tensor", "The elements as another type.", boxed<cast_to_name>),
    reading("onnx::Cast.v6(Tensor input, *, int to, int saturate=1, str round_mode=\"up\") -> Tensor",
            "The elements as another type; out of float8's range the largest value (saturate), or infinity.",
            boxed<cast_to>),
    reading("onnx::CastLike(Tensor input, Tensor target_type, *, int saturate=1, str round_mode=\"up\", int? to=None) "
            "-> Tensor",
            "The elements as another tensor's type.", boxed<cast_like>),
    reading("onnx::BitCast(Tensor input, *, int to, int? element_type=None) -> Tensor",
            "The bits of the elements as another type.", boxed<bit_cast>),
};

}  // namespace

std::span<const OperatorRecord> cast_records() { return kRecords; }

}  // namespace loupe::onnx
