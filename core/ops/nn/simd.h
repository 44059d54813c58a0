// SPDX-License-Identifier: Apache-2.0
#pragma once
// Loops that the compiler vectorises, compiled for the baseline, AVX2 and AVX-512, the best chosen at run time:
//
//     with_best_instructions([&]() LOUPE_INLINE {
//     #pragma omp simd
//         for (std::int64_t i = 0; i < n; ++i) y[i] = a * x[i] + b;
//     });
//
// What the lambda calls must be inlined into it: functions marked LOUPE_INLINE.

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <utility>

#define LOUPE_INLINE __attribute__((always_inline))

namespace loupe {
namespace detail {

#if defined(__x86_64__)
inline int instruction_level() {
    static const int level = [] {
        if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
            __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq")) {
            return 2;
        }
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? 1 : 0;
    }();
    return level;
}
#ifdef __clang__
#define LOUPE_AVX512 __attribute__((target("avx512f,avx512vl,avx512bw,avx512dq,avx2,fma"), noinline))
#else
#define LOUPE_AVX512 \
    __attribute__((target("avx512f,avx512vl,avx512bw,avx512dq,avx2,fma,prefer-vector-width=512"), noinline))
#endif
template <typename F>
LOUPE_AVX512 void run_avx512(F& f) {
    f();
}
template <typename F>
__attribute__((target("avx2,fma"), noinline)) void run_avx2(F& f) {
    f();
}
#undef LOUPE_AVX512
#endif

}  // namespace detail

template <typename F>
void with_best_instructions(F&& f) {
#if defined(__x86_64__)
    switch (detail::instruction_level()) {
        case 2:
            return detail::run_avx512(f);
        case 1:
            return detail::run_avx2(f);
        default:
            break;
    }
#endif
    f();
}

// exp(r) = 1 + r + r^2 times this, for r within half of ln 2: Cephes' polynomial.
LOUPE_INLINE inline float exp_terms(float r) {
    float p = 1.9875691500e-4f;
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    return p * r + 5.0000001201e-1f;
}
// exp to 1 ulp (for float), without branches: inf and 0 beyond the range, NaN for NaN.
LOUPE_INLINE inline float fast_exp(float x) {
    const float clamped = x > 88.7228394f ? 88.7228394f : (x < -103.972084f ? -103.972084f : x);
    constexpr float kMagic = 12582912.0f;  // 1.5 * 2^23: adding it rounds to an integer
    const float shifted = clamped * 1.44269504088896341f + kMagic;
    const float n = shifted - kMagic;
    float r = clamped - n * 0.693359375f;
    r = r - n * -2.12194440e-4f;
    const float p = exp_terms(r) * r * r + r + 1.0f;
    // 2^n in two halves, so that the smallest results underflow gradually.
    const std::int32_t whole = std::bit_cast<std::int32_t>(shifted) - std::bit_cast<std::int32_t>(kMagic);
    const std::int32_t half = whole >> 1;
    const float low = std::bit_cast<float>((half + 127) << 23);
    const float high = std::bit_cast<float>((whole - half + 127) << 23);
    const float result = p * low * high;
    return x > 88.7228394f ? __builtin_inff() : (x != x ? x : (x < -103.972084f ? 0.0f : result));
}
LOUPE_INLINE inline double fast_exp(double x) { return std::exp(x); }

// exp of x <= 0, where what is below the smallest normal number may be 0, as in a softmax (PyTorch: exp_u20). NaN for
// NaN. Half the instructions of fast_exp.
LOUPE_INLINE inline float fast_exp_below_one(float x) {
    constexpr float kMagic = 12582912.0f;  // 1.5 * 2^23: adding it rounds to an integer, which its last bits hold
    const float shifted = x * 1.44269504088896341f + kMagic;
    const float n = shifted - kMagic;
    float r = x - n * 0.693359375f;
    r = r - n * -2.12194440e-4f;
    const float p = exp_terms(r) * (r * r) + (r + 1.0f);
    const float power = std::bit_cast<float>((std::bit_cast<std::uint32_t>(shifted) << 23) + (127u << 23));
    return x < -87.3365402f ? 0.0f : p * power;
}
LOUPE_INLINE inline double fast_exp_below_one(double x) { return std::exp(x); }

template <typename T>
LOUPE_INLINE inline T fast_sigmoid(T x) {
    return T(1) / (T(1) + fast_exp(-x));
}
LOUPE_INLINE inline float fast_tanh(float x) {
    // Near zero the quotient loses digits; there a polynomial takes over.
    const float square = x * x;
    float p = -5.70498872745e-3f;
    p = p * square + 2.06390887954e-2f;
    p = p * square - 5.37397155531e-2f;
    p = p * square + 1.33314422036e-1f;
    p = p * square - 3.33332819422e-1f;
    const float small = p * square * x + x;
    const float e = fast_exp(2.0f * (x < 0 ? -x : x));
    const float large = 1.0f - 2.0f / (e + 1.0f);
    const float signed_large = x < 0 ? -large : large;
    return square < 0.390625f ? small : signed_large;
}
LOUPE_INLINE inline double fast_tanh(double x) { return std::tanh(x); }

}  // namespace loupe
