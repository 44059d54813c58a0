// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/scalar_type.h"

#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe {
namespace {

struct TypeInfo {
    ScalarType type;
    std::string_view name;
    std::string_view graph_name;
};

constexpr TypeInfo kTypes[] = {
#define LOUPE_DTYPE(name, type, number, text, graph_text, kind) TypeInfo{ScalarType::name, text, graph_text},
    LOUPE_DTYPES(LOUPE_DTYPE)
#undef LOUPE_DTYPE
};

const TypeInfo& info(ScalarType type) { return kTypes[dtype_index(type)]; }

[[noreturn]] void fail_promotion(std::string_view what, ScalarType a, ScalarType b) {
    throw Error(ErrorKind::Run, concat("Promotion for ", what, " is not supported, attempted to promote ",
                                       dtype_graph_name(a), " and ", dtype_graph_name(b)));
}

}  // namespace

void detail::fail_dtype(ScalarType dtype) {
    throw Error(ErrorKind::Run, concat("not implemented for '", dtype_graph_name(dtype), "'"));
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
    if (is_float8(a) || is_float8(b)) fail_promotion("Float8 Types", a, b);
    if (has_dtype(kUnsignedDtypes, a) || has_dtype(kUnsignedDtypes, b)) {
        if (is_floating(a)) return a;
        if (is_floating(b)) return b;
        fail_promotion("uint16, uint32, uint64 types", a, b);
    }
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
    if (is_float8(t)) throw Error(ErrorKind::Run, concat("Unknown Complex ScalarType for ", dtype_graph_name(t)));
    if (t == ScalarType::Float16) return ScalarType::Complex32;
    return t == ScalarType::Float64 ? ScalarType::Complex128 : ScalarType::Complex64;
}

bool can_cast(ScalarType from, ScalarType to) {
    if (is_complex(from) && !is_complex(to)) return false;
    if (is_floating(from) && is_integral(to)) return false;
    return from == ScalarType::Bool || to != ScalarType::Bool;
}

}  // namespace loupe
