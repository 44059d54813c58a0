// SPDX-License-Identifier: Apache-2.0
// IEEE 754 halves by the processor's conversion instructions.
#include "core/kernels/convert.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace loupe {
namespace {

#if defined(__x86_64__)
bool has_hardware_conversion() {
    // clang 14 has no target attribute f16c; every processor with AVX2 has it.
    static const bool has = __builtin_cpu_supports("avx2") != 0;
    return has;
}

// How many elements were converted: whole vectors of eight.
__attribute__((target("avx,f16c"))) std::int64_t widen(const Half* from, float* to, std::int64_t n) {
    std::int64_t i = 0;
    for (; i + 8 <= n; i += 8) {
        const __m128i halves = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i));
        _mm256_storeu_ps(to + i, _mm256_cvtph_ps(halves));
    }
    return i;
}
__attribute__((target("avx,f16c"))) std::int64_t narrow(const float* from, Half* to, std::int64_t n) {
    std::int64_t i = 0;
    for (; i + 8 <= n; i += 8) {
        const __m128i halves = _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT);
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), halves);
    }
    return i;
}
#else
constexpr bool has_hardware_conversion() { return false; }
std::int64_t widen(const Half*, float*, std::int64_t) { return 0; }
std::int64_t narrow(const float*, Half*, std::int64_t) { return 0; }
#endif

}  // namespace

void convert_half(const Half* from, float* to, std::int64_t n) {
    std::int64_t i = has_hardware_conversion() ? widen(from, to, n) : 0;
    for (; i < n; ++i) to[i] = from[i];
}

void convert_half(const float* from, Half* to, std::int64_t n) {
    std::int64_t i = has_hardware_conversion() ? narrow(from, to, n) : 0;
    for (; i < n; ++i) to[i] = Half(from[i]);
}

}  // namespace loupe
