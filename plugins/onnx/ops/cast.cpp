// SPDX-License-Identifier: Apache-2.0
// Conversions between element types. What a type cannot hold is rounded to it, though wider elements hold it here.
#include <cmath>

#include "plugins/onnx/ops/common.h"
#include "plugins/onnx/ops/rounding_to_type.h"
#include "plugins/onnx/proto/data_types.h"
#include "plugins/onnx/proto/onnx.pb.h"

namespace loupe::onnx {

Tensor rounded_to(const Tensor& x, const DataType& type, bool saturates) {
    if (type.is_exact) return cast(x, type.held);
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
    return out;
}

namespace {

const DataType& type_or_fail(std::int64_t number) {
    const DataType* type = find_data_type(static_cast<std::int32_t>(number));
    if (type == nullptr) fail("no tensors of elements ", data_type_name(static_cast<std::int32_t>(number)));
    return *type;
}

Tensor cast_to(const Tensor& x, std::int64_t to, std::int64_t saturate, std::string_view) {
    return rounded_to(x, type_or_fail(to), saturate != 0);
}
Tensor cast_like(const Tensor& x, const Tensor& target, std::int64_t, std::string_view) {
    return cast(x, target.dtype());
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
    made_of("onnx::CastLike(Tensor input, Tensor target_type, *, int saturate=1, str round_mode=\"up\") -> Tensor",
            "The elements as another tensor's type.", boxed<cast_like>),
};

}  // namespace

std::span<const OperatorRecord> cast_records() { return kRecords; }

}  // namespace loupe::onnx
