// SPDX-License-Identifier: Apache-2.0
#include "core/formats/safetensors/safetensors_types.h"

#include <algorithm>
#include <array>

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

}  // namespace loupe
