// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/scalar_type.h"

#include <array>

namespace loupe {
namespace {

struct TypeInfo {
    ScalarType type;
    std::int64_t size;
    std::string_view name;
    std::string_view graph_name;
};

constexpr std::array kTypes{
    TypeInfo{ScalarType::UInt8, 1, "uint8", "Byte"},
    TypeInfo{ScalarType::Int8, 1, "int8", "Char"},
    TypeInfo{ScalarType::Int16, 2, "int16", "Short"},
    TypeInfo{ScalarType::Int32, 4, "int32", "Int"},
    TypeInfo{ScalarType::Int64, 8, "int64", "Long"},
    TypeInfo{ScalarType::Float16, 2, "float16", "Half"},
    TypeInfo{ScalarType::Float32, 4, "float32", "Float"},
    TypeInfo{ScalarType::Float64, 8, "float64", "Double"},
    TypeInfo{ScalarType::Complex32, 4, "complex32", "ComplexHalf"},
    TypeInfo{ScalarType::Complex64, 8, "complex64", "ComplexFloat"},
    TypeInfo{ScalarType::Complex128, 16, "complex128", "ComplexDouble"},
    TypeInfo{ScalarType::Bool, 1, "bool", "Bool"},
    TypeInfo{ScalarType::BFloat16, 2, "bfloat16", "BFloat16"},
};

const TypeInfo& info(ScalarType type) {
    for (const auto& entry : kTypes) {
        if (entry.type == type) return entry;
    }
    __builtin_unreachable();
}

}  // namespace

std::int64_t element_size(ScalarType dtype) {
    constexpr std::array<std::int8_t, 16> kSizes{1, 1, 2, 4, 8, 2, 4, 8, 4, 8, 16, 1, 0, 0, 0, 2};
    return kSizes[static_cast<std::size_t>(dtype)];
}
std::string_view dtype_name(ScalarType dtype) { return info(dtype).name; }
std::string_view dtype_graph_name(ScalarType dtype) { return info(dtype).graph_name; }

std::optional<ScalarType> dtype_from_name(std::string_view name) {
    for (const auto& entry : kTypes) {
        if (entry.name == name) return entry.type;
    }
    // The names that torch has besides numpy's.
    if (name == "float") return ScalarType::Float32;
    if (name == "double") return ScalarType::Float64;
    if (name == "half") return ScalarType::Float16;
    if (name == "long") return ScalarType::Int64;
    if (name == "int") return ScalarType::Int32;
    if (name == "short") return ScalarType::Int16;
    if (name == "cfloat") return ScalarType::Complex64;
    if (name == "cdouble") return ScalarType::Complex128;
    return std::nullopt;
}

std::optional<ScalarType> dtype_from_graph_name(std::string_view name) {
    for (const auto& entry : kTypes) {
        if (entry.graph_name == name) return entry.type;
    }
    return std::nullopt;
}

std::optional<ScalarType> dtype_from_number(std::int64_t number) {
    for (const auto& entry : kTypes) {
        if (static_cast<std::int64_t>(entry.type) == number) return entry.type;
    }
    return std::nullopt;
}

ScalarType promote_types(ScalarType a, ScalarType b) {
    if (a == b) return a;
    if (is_complex(a) || is_complex(b)) {
        const ScalarType real = promote_types(to_real_type(a), to_real_type(b));
        return to_complex_type(real);
    }
    if (is_floating(a) || is_floating(b)) {
        if (!is_floating(a)) return b;
        if (!is_floating(b)) return a;
        if (a == ScalarType::Float64 || b == ScalarType::Float64) return ScalarType::Float64;
        return ScalarType::Float32;  // float16 with bfloat16 promotes to float32
    }
    if (a == ScalarType::Bool) return b;
    if (b == ScalarType::Bool) return a;
    if (a == ScalarType::UInt8 || b == ScalarType::UInt8) {
        const ScalarType other = a == ScalarType::UInt8 ? b : a;
        return other == ScalarType::Int8 ? ScalarType::Int16 : other;
    }
    return static_cast<int>(a) > static_cast<int>(b) ? a : b;  // signed integers are numbered by width
}

ScalarType to_real_type(ScalarType t) {
    if (t == ScalarType::Complex32) return ScalarType::Float16;
    if (t == ScalarType::Complex64) return ScalarType::Float32;
    if (t == ScalarType::Complex128) return ScalarType::Float64;
    return t;
}

ScalarType to_complex_type(ScalarType t) {
    if (is_complex(t)) return t;
    if (t == ScalarType::Float16) return ScalarType::Complex32;
    return t == ScalarType::Float64 ? ScalarType::Complex128 : ScalarType::Complex64;
}

bool can_cast(ScalarType from, ScalarType to) {
    if (is_complex(from) && !is_complex(to)) return false;
    if (is_floating(from) && is_integral(to)) return false;
    return from == ScalarType::Bool || to != ScalarType::Bool;
}

}  // namespace loupe
