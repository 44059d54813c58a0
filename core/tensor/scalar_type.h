// SPDX-License-Identifier: Apache-2.0
#pragma once
// Element types, numbered as PyTorch numbers them (graphs carry the numbers).

#include <complex>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include "core/tensor/half.h"

namespace loupe {

enum class ScalarType : std::int8_t {
    UInt8 = 0,
    Int8 = 1,
    Int16 = 2,
    Int32 = 3,
    Int64 = 4,
    Float16 = 5,
    Float32 = 6,
    Float64 = 7,
    Complex32 = 8,
    Complex64 = 9,
    Complex128 = 10,
    Bool = 11,
    BFloat16 = 15,
};

// Bytes of one element.
std::int64_t element_size(ScalarType dtype);
// "float32", as in numpy and after "torch.".
std::string_view dtype_name(ScalarType dtype);
// "Float", as PyTorch's graph printer and its messages write it.
std::string_view dtype_graph_name(ScalarType dtype);
std::optional<ScalarType> dtype_from_name(std::string_view name);
std::optional<ScalarType> dtype_from_graph_name(std::string_view name);
// The dtype of a number in a graph; nullopt for PyTorch dtypes that the engine lacks.
std::optional<ScalarType> dtype_from_number(std::int64_t number);

constexpr bool is_complex(ScalarType t) {
    return t == ScalarType::Complex64 || t == ScalarType::Complex128 || t == ScalarType::Complex32;
}
constexpr bool is_floating(ScalarType t) {
    return t == ScalarType::Float16 || t == ScalarType::Float32 || t == ScalarType::Float64 ||
           t == ScalarType::BFloat16;
}
// Bool counts as integral.
constexpr bool is_integral(ScalarType t) { return !is_complex(t) && !is_floating(t); }
// Only these can require gradients.
constexpr bool is_differentiable(ScalarType t) { return is_floating(t) || is_complex(t); }

// The smallest type that both convert to; torch.promote_types.
ScalarType promote_types(ScalarType a, ScalarType b);
// float32 for complex64 and so on; the type itself if it is not complex.
ScalarType to_real_type(ScalarType t);
// complex128 for float64, complex32 for float16, complex64 for other real dtypes.
ScalarType to_complex_type(ScalarType t);
// torch.can_cast.
bool can_cast(ScalarType from, ScalarType to);

template <typename T>
struct ScalarTypeOf;
#define LOUPE_SCALAR_TYPE_OF(cpp, name)                       \
    template <>                                               \
    struct ScalarTypeOf<cpp> {                                \
        static constexpr ScalarType value = ScalarType::name; \
    };
LOUPE_SCALAR_TYPE_OF(std::uint8_t, UInt8)
LOUPE_SCALAR_TYPE_OF(std::int8_t, Int8)
LOUPE_SCALAR_TYPE_OF(std::int16_t, Int16)
LOUPE_SCALAR_TYPE_OF(std::int32_t, Int32)
LOUPE_SCALAR_TYPE_OF(std::int64_t, Int64)
LOUPE_SCALAR_TYPE_OF(Half, Float16)
LOUPE_SCALAR_TYPE_OF(float, Float32)
LOUPE_SCALAR_TYPE_OF(double, Float64)
LOUPE_SCALAR_TYPE_OF(ComplexHalf, Complex32)
LOUPE_SCALAR_TYPE_OF(std::complex<float>, Complex64)
LOUPE_SCALAR_TYPE_OF(std::complex<double>, Complex128)
LOUPE_SCALAR_TYPE_OF(bool, Bool)
LOUPE_SCALAR_TYPE_OF(BFloat16, BFloat16)
#undef LOUPE_SCALAR_TYPE_OF
template <typename T>
inline constexpr ScalarType scalar_type_of = ScalarTypeOf<T>::value;

// Calls f(std::type_identity<T>{}) with the C++ type of the dtype.
template <typename F>
decltype(auto) visit_dtype(ScalarType dtype, F&& f) {
    switch (dtype) {
        case ScalarType::UInt8:
            return f(std::type_identity<std::uint8_t>{});
        case ScalarType::Int8:
            return f(std::type_identity<std::int8_t>{});
        case ScalarType::Int16:
            return f(std::type_identity<std::int16_t>{});
        case ScalarType::Int32:
            return f(std::type_identity<std::int32_t>{});
        case ScalarType::Int64:
            return f(std::type_identity<std::int64_t>{});
        case ScalarType::Float16:
            return f(std::type_identity<Half>{});
        case ScalarType::Float32:
            return f(std::type_identity<float>{});
        case ScalarType::Float64:
            return f(std::type_identity<double>{});
        case ScalarType::Complex32:
            return f(std::type_identity<ComplexHalf>{});
        case ScalarType::Complex64:
            return f(std::type_identity<std::complex<float>>{});
        case ScalarType::Complex128:
            return f(std::type_identity<std::complex<double>>{});
        case ScalarType::Bool:
            return f(std::type_identity<bool>{});
        case ScalarType::BFloat16:
            return f(std::type_identity<BFloat16>{});
    }
    __builtin_unreachable();
}

}  // namespace loupe
