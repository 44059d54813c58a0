// SPDX-License-Identifier: Apache-2.0
#pragma once
// What kernels use of the standard library and of CUDA's headers for floats of 16 bits, for NVRTC, which has neither.
// It stands for all of these headers (see nvrtc.cpp). Includes nothing.

namespace std {

using int8_t = signed char;
using uint8_t = unsigned char;
using int16_t = short;
using uint16_t = unsigned short;
using int32_t = int;
using uint32_t = unsigned;
using int64_t = long;
using uint64_t = unsigned long;
using uintptr_t = unsigned long;
using size_t = decltype(sizeof(0));

template <typename A, typename B>
inline constexpr bool is_same_v = false;
template <typename A>
inline constexpr bool is_same_v<A, A> = true;
template <typename T>
inline constexpr bool is_floating_point_v = is_same_v<T, float> || is_same_v<T, double>;
template <typename T>
inline constexpr bool is_integral_v = false;
template <>
inline constexpr bool is_integral_v<bool> = true;
template <>
inline constexpr bool is_integral_v<int8_t> = true;
template <>
inline constexpr bool is_integral_v<uint8_t> = true;
template <>
inline constexpr bool is_integral_v<int16_t> = true;
template <>
inline constexpr bool is_integral_v<uint16_t> = true;
template <>
inline constexpr bool is_integral_v<int32_t> = true;
template <>
inline constexpr bool is_integral_v<uint32_t> = true;
template <>
inline constexpr bool is_integral_v<int64_t> = true;
template <>
inline constexpr bool is_integral_v<uint64_t> = true;

template <bool kFirst, typename A, typename B>
struct conditional {
    using type = A;
};
template <typename A, typename B>
struct conditional<false, A, B> {
    using type = B;
};
template <bool kFirst, typename A, typename B>
using conditional_t = typename conditional<kFirst, A, B>::type;
template <typename...>
using void_t = void;

template <typename T>
struct numeric_limits;
template <>
struct numeric_limits<float> {
    __device__ static float infinity() { return __int_as_float(0x7F800000); }
    __device__ static float quiet_NaN() { return __int_as_float(0x7FC00000); }
};
template <>
struct numeric_limits<double> {
    __device__ static double infinity() { return __longlong_as_double(0x7FF0000000000000); }
    __device__ static double quiet_NaN() { return __longlong_as_double(0x7FF8000000000000); }
};
template <>
struct numeric_limits<int64_t> {
    __device__ static constexpr int64_t min() { return -9223372036854775807 - 1; }
    __device__ static constexpr int64_t max() { return 9223372036854775807; }
};

#define LOUPE_FUNCTION(name, of_float)                              \
    __device__ inline float name(float x) { return ::of_float(x); } \
    __device__ inline double name(double x) { return ::name(x); }
LOUPE_FUNCTION(sqrt, sqrtf)
LOUPE_FUNCTION(floor, floorf)
LOUPE_FUNCTION(ceil, ceilf)
LOUPE_FUNCTION(nearbyint, nearbyintf)
LOUPE_FUNCTION(trunc, truncf)
LOUPE_FUNCTION(exp, expf)
LOUPE_FUNCTION(exp2, exp2f)
LOUPE_FUNCTION(expm1, expm1f)
LOUPE_FUNCTION(log, logf)
LOUPE_FUNCTION(log2, log2f)
LOUPE_FUNCTION(log10, log10f)
LOUPE_FUNCTION(log1p, log1pf)
LOUPE_FUNCTION(sin, sinf)
LOUPE_FUNCTION(cos, cosf)
LOUPE_FUNCTION(tan, tanf)
LOUPE_FUNCTION(asin, asinf)
LOUPE_FUNCTION(acos, acosf)
LOUPE_FUNCTION(atan, atanf)
LOUPE_FUNCTION(sinh, sinhf)
LOUPE_FUNCTION(cosh, coshf)
LOUPE_FUNCTION(tanh, tanhf)
LOUPE_FUNCTION(asinh, asinhf)
LOUPE_FUNCTION(acosh, acoshf)
LOUPE_FUNCTION(atanh, atanhf)
LOUPE_FUNCTION(erf, erff)
LOUPE_FUNCTION(erfc, erfcf)
LOUPE_FUNCTION(lgamma, lgammaf)
#undef LOUPE_FUNCTION
#define LOUPE_FUNCTION(name, of_float)                                          \
    __device__ inline float name(float x, float y) { return ::of_float(x, y); } \
    __device__ inline double name(double x, double y) { return ::name(x, y); }
LOUPE_FUNCTION(fmod, fmodf)
LOUPE_FUNCTION(pow, powf)
LOUPE_FUNCTION(atan2, atan2f)
LOUPE_FUNCTION(hypot, hypotf)
LOUPE_FUNCTION(copysign, copysignf)
LOUPE_FUNCTION(nextafter, nextafterf)
#undef LOUPE_FUNCTION
__device__ inline float fma(float x, float y, float z) { return ::fmaf(x, y, z); }
__device__ inline double fma(double x, double y, double z) { return ::fma(x, y, z); }
__device__ inline float abs(float x) { return ::fabsf(x); }
__device__ inline double abs(double x) { return ::fabs(x); }
__device__ inline bool isinf(float x) { return ::fabsf(x) == numeric_limits<float>::infinity(); }
__device__ inline bool isinf(double x) { return ::fabs(x) == numeric_limits<double>::infinity(); }
__device__ inline bool isfinite(float x) { return ::fabsf(x) < numeric_limits<float>::infinity(); }
__device__ inline bool isfinite(double x) { return ::fabs(x) < numeric_limits<double>::infinity(); }
__device__ inline bool signbit(float x) { return __float_as_int(x) < 0; }
__device__ inline bool signbit(double x) { return __double_as_longlong(x) < 0; }

}  // namespace std

struct LoupeHalf {
    unsigned short bits;
};
__device__ inline LoupeHalf __float2half_rn(float x) {
    LoupeHalf h;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h.bits) : "f"(x));
    return h;
}
__device__ inline float __half2float(LoupeHalf h) {
    float x;
    asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(h.bits));
    return x;
}
__device__ inline LoupeHalf __ushort_as_half(unsigned short bits) { return {bits}; }
__device__ inline unsigned short __half_as_ushort(LoupeHalf h) { return h.bits; }

struct LoupeBrain {
    unsigned short bits;
};
// Not of NaN.
__device__ inline LoupeBrain __float2bfloat16_rn(float x) {
#if __CUDA_ARCH__ >= 800
    LoupeBrain b;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(b.bits) : "f"(x));
    return b;
#else
    const unsigned bits = __float_as_uint(x);
    return {static_cast<unsigned short>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16)};
#endif
}
__device__ inline unsigned short __bfloat16_as_ushort(LoupeBrain b) { return b.bits; }
