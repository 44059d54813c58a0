// SPDX-License-Identifier: Apache-2.0
#pragma once
// What kernel bodies are written with: the same code is compiled for the device by nvcc and for the host by any
// compiler, where tests run it over plain arrays.

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "core/base/host_device.h"
#ifdef __CUDACC__
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

// Before a loop whose steps are known: all at once on the device.
#ifdef __CUDA_ARCH__
#define LOUPE_UNROLL _Pragma("unroll")
#else
#define LOUPE_UNROLL
#endif

namespace loupe::cuda {

// As the engine numbers dtypes (core/tensor/scalar_type.h).
enum class Element : std::int8_t {
    UInt8 = 0,
    Int8 = 1,
    Int16 = 2,
    Int32 = 3,
    Int64 = 4,
    Float16 = 5,
    Float32 = 6,
    Float64 = 7,
    Complex64 = 9,
    Complex128 = 10,
    Bool = 11,
    BFloat16 = 15,
    UInt16 = 27,
    UInt32 = 28,
    UInt64 = 29,
};

LOUPE_HD inline int size_of(Element e) {
    switch (e) {
        case Element::Int16:
        case Element::Float16:
        case Element::BFloat16:
        case Element::UInt16:
            return 2;
        case Element::Int32:
        case Element::Float32:
        case Element::UInt32:
            return 4;
        case Element::Int64:
        case Element::Float64:
        case Element::Complex64:
        case Element::UInt64:
            return 8;
        case Element::Complex128:
            return 16;
        default:
            return 1;
    }
}

LOUPE_HD inline bool is_complex(Element e) { return e == Element::Complex64 || e == Element::Complex128; }
LOUPE_HD inline bool is_integer(Element e) {
    return e <= Element::Int64 || e == Element::Bool || (e >= Element::UInt16 && e <= Element::UInt64);
}

// a / b of numbers that are not negative; in 32 bits, where they fit, it is several times faster.
LOUPE_HD inline std::int64_t quotient(std::int64_t a, std::int64_t b) {
    if (((a | b) >> 32) == 0) return static_cast<std::uint32_t>(a) / static_cast<std::uint32_t>(b);
    return a / b;
}

template <typename To, typename From>
LOUPE_HD To bits_as(From from) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    memcpy(&to, &from, sizeof to);
    return to;
}

LOUPE_HD inline float from_bfloat16(std::uint16_t bits) {
    return bits_as<float>(static_cast<std::uint32_t>(bits) << 16);
}
// To nearest, ties to even; NaN stays NaN.
LOUPE_HD inline std::uint16_t to_bfloat16(float value) {
#ifdef __CUDA_ARCH__
    if (value == value) return __bfloat16_as_ushort(__float2bfloat16_rn(value));
#endif
    if (value != value) return 0x7FC0;
    const auto bits = bits_as<std::uint32_t>(value);
    return static_cast<std::uint16_t>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}
LOUPE_HD inline float from_float16(std::uint16_t half) {
#ifdef __CUDA_ARCH__
    return __half2float(__ushort_as_half(half));
#else
    const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000) << 16;
    const std::uint32_t exponent = (half >> 10) & 31;
    const std::uint32_t mantissa = half & 1023;
    if (exponent == 31) return bits_as<float>(sign | 0x7F800000U | (mantissa << 13));
    if (exponent != 0) return bits_as<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
    const float small = static_cast<float>(mantissa) * 5.9604644775390625e-08F;  // 2^-24
    return sign != 0 ? -small : small;
#endif
}
LOUPE_HD inline std::uint16_t to_float16(float value) {
#ifdef __CUDA_ARCH__
    if (value == value) return __half_as_ushort(__float2half_rn(value));
#endif
    const auto bits = bits_as<std::uint32_t>(value);
    const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000);
    const std::uint32_t size = bits & 0x7FFFFFFF;
    if (size > 0x7F800000) return static_cast<std::uint16_t>(sign | 0x7E00);
    if (size >= 0x477FF000) return static_cast<std::uint16_t>(sign | 0x7C00);  // rounds to 65536 or more
    if (size < 0x38800000) {  // below the least normal number: the addition rounds
        const float moved = bits_as<float>(size) + 0.5F;
        return static_cast<std::uint16_t>(sign | (bits_as<std::uint32_t>(moved) - 0x3F000000));
    }
    const std::uint32_t rounded = size - 0x38000000 + 0xFFF + ((size >> 13) & 1);
    return static_cast<std::uint16_t>(sign | (rounded >> 13));
}

// As std::complex lies in memory.
template <typename R>
struct alignas(2 * sizeof(R)) Complex {
    using Real = R;
    R re, im;
};
template <typename T>
inline constexpr bool kIsComplex = false;
template <typename R>
inline constexpr bool kIsComplex<Complex<R>> = true;

// A floating value as an integer, as the host's conversion: x86 gives the least int64 for what does not fit.
template <typename To, typename From>
LOUPE_HD To converted(From from) {
    if constexpr (std::is_same_v<To, bool>) {
        return from != From(0);
    } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
        const bool fits = from >= From(-9223372036854775808.0) && from < From(9223372036854775808.0);
        return static_cast<To>(fits ? static_cast<std::int64_t>(from) : std::numeric_limits<std::int64_t>::min());
    } else {
        return static_cast<To>(from);
    }
}

template <typename T>
LOUPE_HD T load_real(const void* at, Element element) {
    switch (element) {
        case Element::UInt8:
            return converted<T>(*static_cast<const std::uint8_t*>(at));
        case Element::Int8:
            return converted<T>(*static_cast<const std::int8_t*>(at));
        case Element::Int16:
            return converted<T>(*static_cast<const std::int16_t*>(at));
        case Element::Int32:
            return converted<T>(*static_cast<const std::int32_t*>(at));
        case Element::Int64:
            return converted<T>(*static_cast<const std::int64_t*>(at));
        case Element::Float16:
            return converted<T>(from_float16(*static_cast<const std::uint16_t*>(at)));
        case Element::Float32:
            return converted<T>(*static_cast<const float*>(at));
        case Element::Float64:
            return converted<T>(*static_cast<const double*>(at));
        case Element::Bool:
            return converted<T>(*static_cast<const std::uint8_t*>(at) != 0);
        case Element::BFloat16:
            return converted<T>(from_bfloat16(*static_cast<const std::uint16_t*>(at)));
        case Element::UInt16:
            return converted<T>(*static_cast<const std::uint16_t*>(at));
        case Element::UInt32:
            return converted<T>(*static_cast<const std::uint32_t*>(at));
        case Element::UInt64:
            return converted<T>(*static_cast<const std::uint64_t*>(at));
        default:
            return T(0);
    }
}

template <typename T>
LOUPE_HD void store_real(void* at, Element element, T value) {
    switch (element) {
        case Element::UInt8:
            *static_cast<std::uint8_t*>(at) = converted<std::uint8_t>(value);
            break;
        case Element::Int8:
            *static_cast<std::int8_t*>(at) = converted<std::int8_t>(value);
            break;
        case Element::Int16:
            *static_cast<std::int16_t*>(at) = converted<std::int16_t>(value);
            break;
        case Element::Int32:
            *static_cast<std::int32_t*>(at) = converted<std::int32_t>(value);
            break;
        case Element::Int64:
            *static_cast<std::int64_t*>(at) = converted<std::int64_t>(value);
            break;
        case Element::Float16:
            *static_cast<std::uint16_t*>(at) = to_float16(static_cast<float>(value));
            break;
        case Element::Float32:
            *static_cast<float*>(at) = static_cast<float>(value);
            break;
        case Element::Float64:
            *static_cast<double*>(at) = static_cast<double>(value);
            break;
        case Element::Bool:
            *static_cast<std::uint8_t*>(at) = value != T(0) ? 1 : 0;
            break;
        case Element::BFloat16:
            *static_cast<std::uint16_t*>(at) = to_bfloat16(static_cast<float>(value));
            break;
        case Element::UInt16:
            *static_cast<std::uint16_t*>(at) = converted<std::uint16_t>(value);
            break;
        case Element::UInt32:
            *static_cast<std::uint32_t*>(at) = converted<std::uint32_t>(value);
            break;
        case Element::UInt64:
            *static_cast<std::uint64_t*>(at) = converted<std::uint64_t>(value);
            break;
        default:
            break;
    }
}

template <typename T>
LOUPE_HD T load(const void* at, Element element) {
    if constexpr (kIsComplex<T>) {
        using R = typename T::Real;
        if (element == Element::Complex64) {
            const Complex<float> z = *static_cast<const Complex<float>*>(at);
            return {static_cast<R>(z.re), static_cast<R>(z.im)};
        }
        if (element == Element::Complex128) {
            const Complex<double> z = *static_cast<const Complex<double>*>(at);
            return {static_cast<R>(z.re), static_cast<R>(z.im)};
        }
        return {load<R>(at, element), R(0)};
    } else {
        return load_real<T>(at, element);
    }
}

// A complex value in the place of a real one leaves its real part; a truth is whether it is not 0.
template <typename T>
LOUPE_HD void store(void* at, Element element, T value) {
    if constexpr (kIsComplex<T>) {
        if (element == Element::Complex64)
            *static_cast<Complex<float>*>(at) = {static_cast<float>(value.re), static_cast<float>(value.im)};
        else if (element == Element::Complex128)
            *static_cast<Complex<double>*>(at) = {static_cast<double>(value.re), static_cast<double>(value.im)};
        else if (element == Element::Bool)
            *static_cast<std::uint8_t*>(at) = value.re != 0 || value.im != 0 ? 1 : 0;
        else
            store_real(at, element, value.re);
    } else {
        store_real(at, element, value);
    }
}

// Elements as they lie in memory, to be read and written sixteen bytes at a time.
struct Half {
    std::uint16_t bits;
    LOUPE_HD operator float() const { return from_float16(bits); }
    LOUPE_HD static Half of(float value) { return {to_float16(value)}; }
};
struct Brain {
    std::uint16_t bits;
    LOUPE_HD operator float() const { return from_bfloat16(bits); }
    LOUPE_HD static Brain of(float value) { return {to_bfloat16(value)}; }
};
template <typename S, typename T>
LOUPE_HD S stored(T value) {
    if constexpr (std::is_same_v<S, Half> || std::is_same_v<S, Brain>)
        return S::of(static_cast<float>(value));
    else
        return static_cast<S>(value);
}
template <typename S>
struct alignas(16) Pack {
    static constexpr int kCount = 16 / sizeof(S);
    S v[kCount];
};
inline bool is_aligned(const void* at) { return (reinterpret_cast<std::uintptr_t>(at) & 15) == 0; }

}  // namespace loupe::cuda
