// SPDX-License-Identifier: Apache-2.0
#include "plugins/onnx/proto/data_types.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "plugins/onnx/proto/onnx.pb.h"

namespace loupe::onnx {
namespace {

using proto::TensorProto;

constexpr std::array kTypes = {
    DataType{TensorProto::FLOAT, "float", 32, ScalarType::Float32},
    DataType{TensorProto::UINT8, "uint8", 8, ScalarType::UInt8},
    DataType{TensorProto::INT8, "int8", 8, ScalarType::Int8},
    DataType{TensorProto::UINT16, "uint16", 16, ScalarType::UInt16},
    DataType{TensorProto::INT16, "int16", 16, ScalarType::Int16},
    DataType{TensorProto::INT32, "int32", 32, ScalarType::Int32},
    DataType{TensorProto::INT64, "int64", 64, ScalarType::Int64},
    DataType{TensorProto::BOOL, "bool", 8, ScalarType::Bool},
    DataType{TensorProto::FLOAT16, "float16", 16, ScalarType::Float16},
    DataType{TensorProto::DOUBLE, "double", 64, ScalarType::Float64},
    DataType{TensorProto::UINT32, "uint32", 32, ScalarType::UInt32},
    DataType{TensorProto::UINT64, "uint64", 64, ScalarType::UInt64},
    DataType{TensorProto::COMPLEX64, "complex64", 64, ScalarType::Complex64},
    DataType{TensorProto::COMPLEX128, "complex128", 128, ScalarType::Complex128},
    DataType{TensorProto::BFLOAT16, "bfloat16", 16, ScalarType::BFloat16},
    DataType{TensorProto::FLOAT8E4M3FN, "float8e4m3fn", 8, ScalarType::Float8E4M3FN},
    DataType{TensorProto::FLOAT8E4M3FNUZ, "float8e4m3fnuz", 8, ScalarType::Float8E4M3FNUZ},
    DataType{TensorProto::FLOAT8E5M2, "float8e5m2", 8, ScalarType::Float8E5M2},
    DataType{TensorProto::FLOAT8E5M2FNUZ, "float8e5m2fnuz", 8, ScalarType::Float8E5M2FNUZ},
    DataType{TensorProto::UINT4, "uint4", 4, ScalarType::UInt8, false},
    DataType{TensorProto::INT4, "int4", 4, ScalarType::Int8, false},
    DataType{TensorProto::FLOAT4E2M1, "float4e2m1", 4, ScalarType::Float32, false},
    DataType{TensorProto::FLOAT8E8M0, "float8e8m0", 8, ScalarType::Float8E8M0FNU},
    DataType{TensorProto::UINT2, "uint2", 2, ScalarType::UInt8, false},
    DataType{TensorProto::INT2, "int2", 2, ScalarType::Int8, false},
};

// How many bits there are for what, and what stands for values that are no numbers.
struct SmallFloat {
    int mantissa;
    int bias;
    bool has_sign;
    bool has_infinity;
    // The bits of NaN without the sign; -1: none. With a single zero, NaN is the negative zero.
    std::int32_t nan;
    bool has_one_zero;
    std::uint32_t largest;  // the bits of the largest finite value
};

SmallFloat layout_of(const DataType& type) {
    switch (type.number) {
        case TensorProto::FLOAT8E4M3FN:
            return {3, 7, true, false, 0x7f, false, 0x7e};
        case TensorProto::FLOAT8E4M3FNUZ:
            return {3, 8, true, false, 0x80, true, 0x7f};
        case TensorProto::FLOAT8E5M2:
            return {2, 15, true, true, 0x7f, false, 0x7b};
        case TensorProto::FLOAT8E5M2FNUZ:
            return {2, 16, true, false, 0x80, true, 0x7f};
        case TensorProto::FLOAT4E2M1:
            return {1, 1, true, false, -1, false, 0x7};
        default:
            return {0, 127, false, false, 0xff, false, 0xfe};  // float8e8m0
    }
}

float magnitude(const SmallFloat& layout, std::uint32_t bits) {
    const auto exponent = static_cast<int>(bits >> layout.mantissa);
    const auto fraction = static_cast<int>(bits & ((1U << layout.mantissa) - 1));
    const bool is_normal = exponent != 0 || !layout.has_sign;  // powers of two alone have no subnormal
    const int whole = fraction + (is_normal ? 1 << layout.mantissa : 0);
    return std::ldexp(static_cast<float>(whole), (is_normal ? exponent : 1) - layout.bias - layout.mantissa);
}

}  // namespace

std::span<const DataType> data_types() { return kTypes; }

const DataType* find_data_type(std::int32_t number) {
    const auto found = std::ranges::find(kTypes, number, &DataType::number);
    return found == kTypes.end() ? nullptr : &*found;
}

std::string data_type_name(std::int32_t number) {
    if (const DataType* known = find_data_type(number)) return std::string(known->name);
    return number == TensorProto::STRING ? std::string("string") : concat("of type ", number);
}

std::int32_t data_type_of(ScalarType dtype) {
    const auto found =
        std::ranges::find_if(kTypes, [&](const DataType& type) { return type.is_exact && type.held == dtype; });
    if (found == kTypes.end())
        throw Error(ErrorKind::Unsupported, concat("ONNX has no element type for ", dtype_name(dtype)));
    return found->number;
}

float small_float(const DataType& type, std::uint32_t bits) {
    const SmallFloat layout = layout_of(type);
    const std::uint32_t sign = layout.has_sign ? 1U << (type.bits - 1) : 0;
    const std::uint32_t rest = bits & ~sign;
    const bool is_nan = layout.has_one_zero
                            ? bits == static_cast<std::uint32_t>(layout.nan)
                            : layout.nan >= 0 && (layout.has_infinity ? rest > layout.largest + 1
                                                                      : rest == static_cast<std::uint32_t>(layout.nan));
    if (is_nan) return std::numeric_limits<float>::quiet_NaN();
    const float value = layout.has_infinity && rest == layout.largest + 1 ? std::numeric_limits<float>::infinity()
                                                                          : magnitude(layout, rest);
    return (bits & sign) != 0 ? -value : value;
}

std::uint32_t small_float_bits(const DataType& type, float value) {
    const SmallFloat layout = layout_of(type);
    const std::uint32_t sign = layout.has_sign && std::signbit(value) ? 1U << (type.bits - 1) : 0;
    if (std::isnan(value)) return layout.nan < 0 ? 0 : static_cast<std::uint32_t>(layout.nan);
    const float size = std::fabs(value);
    if (layout.has_infinity && std::isinf(size)) return sign | (layout.largest + 1);
    if (size == 0) return layout.has_one_zero ? 0 : sign;
    std::uint32_t low = 0;
    std::uint32_t high = layout.largest;
    while (low < high) {
        const std::uint32_t middle = (low + high) / 2;
        if (magnitude(layout, middle) < size)
            low = middle + 1;
        else
            high = middle;
    }
    return sign | low;
}

float rounded_to_small_float(const DataType& type, float value, bool saturates) {
    const SmallFloat layout = layout_of(type);
    if (std::isnan(value)) return layout.nan < 0 ? 0.0f : value;
    const float size = std::fabs(value);
    const float most = magnitude(layout, layout.largest);
    // One more step than the largest value, where the format went on.
    const float step = most - magnitude(layout, layout.largest - 1);
    const auto with_sign = [&](float result) {
        if (layout.has_one_zero && result == 0) return 0.0f;
        return layout.has_sign ? std::copysign(result, value) : result;
    };
    // In the middle the even one of the two wins, as everywhere.
    const float middle_above = most + step / 2;
    if (size > middle_above || (size == middle_above && (layout.largest & 1) != 0)) {
        if (saturates || layout.nan < 0) return with_sign(most);
        return layout.has_infinity ? with_sign(std::numeric_limits<float>::infinity())
                                   : std::numeric_limits<float>::quiet_NaN();
    }
    if (size >= most) return with_sign(most);
    const std::uint32_t above = small_float_bits(type, size);
    const float high = magnitude(layout, above);
    if (above == 0 || high == size) return with_sign(high);
    const float low = magnitude(layout, above - 1);
    const float middle = low + (high - low) / 2;
    const bool goes_down = size < middle || (size == middle && ((above - 1) & 1) == 0);
    return with_sign(goes_down ? low : high);
}

}  // namespace loupe::onnx
