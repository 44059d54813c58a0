// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/fuse/stream_copy.h"

#include <algorithm>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace loupe::runtime {
namespace {

#if defined(__x86_64__)
constexpr std::int64_t kLine = 64;

// Whole cache lines; `to` is aligned to one. One store of a line costs a quarter of four stores.
__attribute__((target("avx512f"))) void stream_lines_512(std::byte* to, const std::byte* from, std::int64_t bytes) {
    for (std::int64_t at = 0; at < bytes; at += kLine) {
        _mm512_stream_si512(reinterpret_cast<__m512i*>(to + at), _mm512_loadu_si512(from + at));
    }
}
__attribute__((target("avx"))) void stream_lines_256(std::byte* to, const std::byte* from, std::int64_t bytes) {
    for (std::int64_t at = 0; at < bytes; at += 32) {
        _mm256_stream_si256(reinterpret_cast<__m256i*>(to + at),
                            _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + at)));
    }
}
void stream_lines_128(std::byte* to, const std::byte* from, std::int64_t bytes) {
    for (std::int64_t at = 0; at < bytes; at += 16) {
        _mm_stream_si128(reinterpret_cast<__m128i*>(to + at),
                         _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at)));
    }
}

using StreamLines = void (*)(std::byte* to, const std::byte* from, std::int64_t bytes);
StreamLines best_lines() {
    if (__builtin_cpu_supports("avx512f")) return stream_lines_512;
    return __builtin_cpu_supports("avx") ? stream_lines_256 : stream_lines_128;
}
#endif

}  // namespace

void stream_copy(std::byte* to, const std::byte* from, std::int64_t bytes) {
#if defined(__x86_64__)
    static const StreamLines stream_lines = best_lines();
    const std::int64_t head = std::min<std::int64_t>(
        bytes, (kLine - static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to) % kLine)) % kLine);
    const std::int64_t lines = (bytes - head) / kLine * kLine;
    std::memcpy(to, from, static_cast<std::size_t>(head));
    stream_lines(to + head, from + head, lines);
    std::memcpy(to + head + lines, from + head + lines, static_cast<std::size_t>(bytes - head - lines));
    _mm_sfence();
#else
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
#endif
}

}  // namespace loupe::runtime
