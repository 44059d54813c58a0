// SPDX-License-Identifier: Apache-2.0
#include "core/formats/safetensors/safetensors_types.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace loupe {
namespace {

constexpr std::array<SafetensorsType, 22> kTypes{{
    {"BOOL", 8, "bool"},
    {"F4", 4, ""},  // PyTorch's float4_e2m1fn_x2 is two of them
    {"F6_E2M3", 6, ""},
    {"F6_E3M2", 6, ""},
    {"U8", 8, "uint8"},
    {"I8", 8, "int8"},
    {"F8_E5M2", 8, "float8_e5m2"},
    {"F8_E4M3", 8, "float8_e4m3fn"},
    {"F8_E8M0", 8, "float8_e8m0fnu"},
    {"F8_E4M3FNUZ", 8, "float8_e4m3fnuz"},
    {"F8_E5M2FNUZ", 8, "float8_e5m2fnuz"},
    {"I16", 16, "int16"},
    {"U16", 16, "uint16"},
    {"F16", 16, "float16"},
    {"BF16", 16, "bfloat16"},
    {"I32", 32, "int32"},
    {"U32", 32, "uint32"},
    {"F32", 32, "float32"},
    {"C64", 64, "complex64"},
    {"F64", 64, "float64"},
    {"I64", 64, "int64"},
    {"U64", 64, "uint64"},
}};

// Layout of an eight-bit float: a sign, an exponent, a mantissa.
struct SmallFloat {
    std::string_view type;
    int mantissa;
    int bias;
    enum class Special { Ieee, NanAtEnd, NanAtMinusZero } special;
};
constexpr std::array<SmallFloat, 4> kSmallFloats{{
    {"F8_E5M2", 2, 15, SmallFloat::Special::Ieee},
    {"F8_E4M3", 3, 7, SmallFloat::Special::NanAtEnd},
    {"F8_E4M3FNUZ", 3, 8, SmallFloat::Special::NanAtMinusZero},
    {"F8_E5M2FNUZ", 2, 16, SmallFloat::Special::NanAtMinusZero},
}};

float decode(const SmallFloat& layout, unsigned byte) {
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
    const unsigned magnitude = byte & 0x7fU;
    const float sign = (byte & 0x80U) != 0 ? -1.0F : 1.0F;
    const auto fraction = static_cast<float>(magnitude & ((1U << layout.mantissa) - 1));
    const int exponent = static_cast<int>(magnitude >> layout.mantissa);
    const int last_exponent = (1 << (7 - layout.mantissa)) - 1;
    if (layout.special == SmallFloat::Special::NanAtMinusZero && byte == 0x80U) return kNan;
    if (layout.special == SmallFloat::Special::NanAtEnd && magnitude == 0x7fU) return kNan;
    if (layout.special == SmallFloat::Special::Ieee && exponent == last_exponent)
        return fraction != 0 ? kNan : sign * std::numeric_limits<float>::infinity();
    const float scale = static_cast<float>(1 << layout.mantissa);
    if (exponent == 0) return sign * std::ldexp(fraction / scale, 1 - layout.bias);
    return sign * std::ldexp(1 + fraction / scale, exponent - layout.bias);
}

using Decoded = std::array<float, 256>;

std::optional<Decoded> decoded_bytes(std::string_view type) {
    Decoded out{};
    if (type == "F8_E8M0") {  // a power of two
        for (int byte = 0; byte < 255; ++byte) out[static_cast<std::size_t>(byte)] = std::ldexp(1.0F, byte - 127);
        out[255] = std::numeric_limits<float>::quiet_NaN();
        return out;
    }
    const auto* layout = std::ranges::find(kSmallFloats, type, &SmallFloat::type);
    if (layout == kSmallFloats.end()) return std::nullopt;
    for (unsigned byte = 0; byte < 256; ++byte) out[byte] = decode(*layout, byte);
    return out;
}

}  // namespace

std::span<const SafetensorsType> safetensors_types() { return kTypes; }

const SafetensorsType* find_safetensors_type(std::string_view name) {
    const auto* found = std::ranges::find(kTypes, name, &SafetensorsType::name);
    return found == kTypes.end() ? nullptr : found;
}

const SafetensorsType* safetensors_type_of(ScalarType dtype) {
    const auto* found = std::ranges::find(kTypes, dtype_name(dtype), &SafetensorsType::torch_name);
    return found == kTypes.end() ? nullptr : found;
}

std::optional<Tensor> decode_small_floats(std::string_view type, const Tensor& bytes) {
    const auto numbers = decoded_bytes(type);
    if (!numbers) return std::nullopt;
    Tensor out = empty(bytes.sizes(), ScalarType::Float32);
    const auto* from = bytes.data<std::uint8_t>();
    auto* to = out.data<float>();
    for (std::int64_t i = 0; i < bytes.numel(); ++i) to[i] = (*numbers)[from[i]];
    return out;
}

}  // namespace loupe
