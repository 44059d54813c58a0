// SPDX-License-Identifier: Apache-2.0
#pragma once
// Element types: one table, of which all that is known of a dtype follows. Numbered as PyTorch numbers them (graphs
// carry the numbers).

#include <array>
#include <complex>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "core/tensor/float8.h"
#include "core/tensor/half.h"

namespace loupe {

// X(name, C++ type, number, name after "torch.", name in graphs, kind)
#define LOUPE_DTYPES(X)                                                                 \
    X(UInt8, std::uint8_t, 0, "uint8", "Byte", Integer)                                 \
    X(Int8, std::int8_t, 1, "int8", "Char", Integer)                                    \
    X(Int16, std::int16_t, 2, "int16", "Short", Integer)                                \
    X(Int32, std::int32_t, 3, "int32", "Int", Integer)                                  \
    X(Int64, std::int64_t, 4, "int64", "Long", Integer)                                 \
    X(Float16, Half, 5, "float16", "Half", Floating)                                    \
    X(Float32, float, 6, "float32", "Float", Floating)                                  \
    X(Float64, double, 7, "float64", "Double", Floating)                                \
    X(Complex32, ComplexHalf, 8, "complex32", "ComplexHalf", Complex)                   \
    X(Complex64, std::complex<float>, 9, "complex64", "ComplexFloat", Complex)          \
    X(Complex128, std::complex<double>, 10, "complex128", "ComplexDouble", Complex)     \
    X(Bool, bool, 11, "bool", "Bool", Integer)                                          \
    X(BFloat16, BFloat16, 15, "bfloat16", "BFloat16", Floating)                         \
    X(Float8E5M2, Float8E5M2, 23, "float8_e5m2", "Float8_e5m2", Float8)                 \
    X(Float8E4M3FN, Float8E4M3FN, 24, "float8_e4m3fn", "Float8_e4m3fn", Float8)         \
    X(Float8E5M2FNUZ, Float8E5M2FNUZ, 25, "float8_e5m2fnuz", "Float8_e5m2fnuz", Float8) \
    X(Float8E4M3FNUZ, Float8E4M3FNUZ, 26, "float8_e4m3fnuz", "Float8_e4m3fnuz", Float8) \
    X(UInt16, std::uint16_t, 27, "uint16", "UInt16", Unsigned)                          \
    X(UInt32, std::uint32_t, 28, "uint32", "UInt32", Unsigned)                          \
    X(UInt64, std::uint64_t, 29, "uint64", "UInt64", Unsigned)                          \
    X(Float8E8M0FNU, Float8E8M0FNU, 44, "float8_e8m0fnu", "Float8_e8m0fnu", Float8Scale)

enum class ScalarType : std::int8_t {
#define LOUPE_DTYPE(name, type, number, text, graph_text, kind) name = number,
    LOUPE_DTYPES(LOUPE_DTYPE)
#undef LOUPE_DTYPE
};

// A set of dtypes: bit i is the one with number i.
using DtypeSet = std::uint64_t;
constexpr DtypeSet dtype_bit(ScalarType t) { return DtypeSet{1} << static_cast<int>(t); }
constexpr bool has_dtype(DtypeSet set, ScalarType t) { return (set >> static_cast<int>(t) & 1) != 0; }

namespace detail {
enum class DtypeKind : std::uint8_t { Integer, Floating, Complex, Unsigned, Float8, Float8Scale };
constexpr DtypeSet dtypes_of(DtypeKind wanted) {
    DtypeSet set = 0;
#define LOUPE_DTYPE(name, type, number, text, graph_text, kind) \
    if (wanted == DtypeKind::kind) set |= dtype_bit(ScalarType::name);
    LOUPE_DTYPES(LOUPE_DTYPE)
#undef LOUPE_DTYPE
    return set;
}
constexpr int kDtypeNumbers = 45;
struct DtypeTable {
    std::array<std::int8_t, kDtypeNumbers> size{};
    std::array<std::int8_t, kDtypeNumbers> index{};
    std::int8_t count = 0;
};
constexpr DtypeTable make_dtype_table() {
    DtypeTable table;
#define LOUPE_DTYPE(name, type, number, text, graph_text, kind)  \
    table.size[number] = static_cast<std::int8_t>(sizeof(type)); \
    table.index[number] = table.count++;
    LOUPE_DTYPES(LOUPE_DTYPE)
#undef LOUPE_DTYPE
    return table;
}
inline constexpr DtypeTable kDtypeTable = make_dtype_table();
[[noreturn]] void fail_dtype(ScalarType dtype);
}  // namespace detail

// Of 16, 32 and 64 bits. PyTorch has few operators for them.
inline constexpr DtypeSet kUnsignedDtypes = detail::dtypes_of(detail::DtypeKind::Unsigned);
// Of eight bits: stored, converted and copied; hardly computed with. The scale is the power of two alone.
inline constexpr DtypeSet kScaleDtypes = detail::dtypes_of(detail::DtypeKind::Float8Scale);
inline constexpr DtypeSet kFloat8NumberDtypes = detail::dtypes_of(detail::DtypeKind::Float8);
inline constexpr DtypeSet kFloat8Dtypes = kFloat8NumberDtypes | kScaleDtypes;
inline constexpr DtypeSet kComplexDtypes = detail::dtypes_of(detail::DtypeKind::Complex);
inline constexpr DtypeSet kFloatingDtypes = detail::dtypes_of(detail::DtypeKind::Floating) | kFloat8Dtypes;
inline constexpr DtypeSet kIntegralDtypes = detail::dtypes_of(detail::DtypeKind::Integer) | kUnsignedDtypes;
inline constexpr DtypeSet kAnyDtype = kComplexDtypes | kFloatingDtypes | kIntegralDtypes;
// Those that every kernel is written for.
inline constexpr DtypeSet kCommonDtypes = kAnyDtype & ~(kUnsignedDtypes | kFloat8Dtypes);
inline constexpr int kDtypeCount = detail::kDtypeTable.count;

// Bytes of one element.
constexpr std::int64_t element_size(ScalarType dtype) {
    return detail::kDtypeTable.size[static_cast<std::size_t>(dtype)];
}
// Its place among the dtypes, 0 to kDtypeCount - 1.
constexpr std::size_t dtype_index(ScalarType dtype) {
    return static_cast<std::size_t>(detail::kDtypeTable.index[static_cast<std::size_t>(dtype)]);
}
// "float32", as in numpy and after "torch.".
std::string_view dtype_name(ScalarType dtype);
// "Float", as PyTorch's graph printer and its messages write it.
std::string_view dtype_graph_name(ScalarType dtype);
std::optional<ScalarType> dtype_from_name(std::string_view name);
std::optional<ScalarType> dtype_from_graph_name(std::string_view name);
// The dtype of a number in a graph; nullopt for PyTorch dtypes that the engine lacks.
std::optional<ScalarType> dtype_from_number(std::int64_t number);

constexpr bool is_complex(ScalarType t) { return has_dtype(kComplexDtypes, t); }
constexpr bool is_floating(ScalarType t) { return has_dtype(kFloatingDtypes, t); }
constexpr bool is_float8(ScalarType t) { return has_dtype(kFloat8Dtypes, t); }
// Bool counts as integral.
constexpr bool is_integral(ScalarType t) { return has_dtype(kIntegralDtypes, t); }
// Has no number below 0.
constexpr bool is_unsigned(ScalarType t) {
    return has_dtype(kUnsignedDtypes | kScaleDtypes, t) || t == ScalarType::UInt8 || t == ScalarType::Bool;
}
// Only these can require gradients.
constexpr bool is_differentiable(ScalarType t) { return is_floating(t) || is_complex(t); }

// The smallest type that both convert to; torch.promote_types. Throws Error (Run) for pairs that PyTorch refuses:
// unsigned integers above eight bits with other integers, floats of eight bits with anything.
ScalarType promote_types(ScalarType a, ScalarType b);
// float32 for complex64 and so on; the type itself if it is not complex.
ScalarType to_real_type(ScalarType t);
// complex128 for float64, complex32 for float16, complex64 for other real dtypes.
ScalarType to_complex_type(ScalarType t);
// torch.can_cast.
bool can_cast(ScalarType from, ScalarType to);

template <typename T>
struct ScalarTypeOf;
#define LOUPE_DTYPE(name, type, number, text, graph_text, kind) \
    template <>                                                 \
    struct ScalarTypeOf<type> {                                 \
        static constexpr ScalarType value = ScalarType::name;   \
    };
LOUPE_DTYPES(LOUPE_DTYPE)
#undef LOUPE_DTYPE
template <typename T>
inline constexpr ScalarType scalar_type_of = ScalarTypeOf<T>::value;

// Calls f(std::type_identity<T>{}) with the C++ type of the dtype. Throws Error (Run) for a dtype out of the set:
// "not implemented for 'UInt16'".
template <DtypeSet kSet, typename F>
decltype(auto) visit_dtypes(ScalarType dtype, F&& f) {
    switch (dtype) {
#define LOUPE_DTYPE(name, type, number, text, graph_text, kind) \
    case ScalarType::name:                                      \
        if constexpr (has_dtype(kSet, ScalarType::name))        \
            return f(std::type_identity<type>{});               \
        else                                                    \
            break;
        LOUPE_DTYPES(LOUPE_DTYPE)
#undef LOUPE_DTYPE
    }
    detail::fail_dtype(dtype);
}
// For kernels: the common dtypes.
template <typename F>
decltype(auto) visit_dtype(ScalarType dtype, F&& f) {
    return visit_dtypes<kCommonDtypes>(dtype, std::forward<F>(f));
}
// For what reads or writes single elements of whatever dtype.
template <typename F>
decltype(auto) visit_any_dtype(ScalarType dtype, F&& f) {
    return visit_dtypes<kAnyDtype>(dtype, std::forward<F>(f));
}

// 16 bytes, as an element that is moved and not looked at.
struct ElementBits128 {
    std::uint64_t low, high;
};
// For what moves elements: calls f(std::type_identity<T>{}) with a type of the dtype's size.
template <typename F>
decltype(auto) visit_element_size(ScalarType dtype, F&& f) {
    switch (element_size(dtype)) {
        case 1:
            return f(std::type_identity<std::uint8_t>{});
        case 2:
            return f(std::type_identity<std::uint16_t>{});
        case 4:
            return f(std::type_identity<std::uint32_t>{});
        case 8:
            return f(std::type_identity<std::uint64_t>{});
        default:
            return f(std::type_identity<ElementBits128>{});
    }
}

}  // namespace loupe
