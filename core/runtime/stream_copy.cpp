// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/stream_copy.h"

#include <algorithm>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace loupe::runtime {

void stream_copy(std::byte* to, const std::byte* from, std::int64_t bytes) {
#if defined(__SSE2__)
    constexpr std::int64_t kLine = 64;
    const std::int64_t head = std::min<std::int64_t>(bytes, (kLine - static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to) % kLine)) % kLine);
    std::memcpy(to, from, static_cast<std::size_t>(head));
    std::int64_t at = head;
    for (; at + kLine <= bytes; at += kLine) {
        for (std::int64_t part = 0; part < kLine; part += 16) {
            const __m128i elements = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at + part));
            _mm_stream_si128(reinterpret_cast<__m128i*>(to + at + part), elements);
        }
    }
    std::memcpy(to + at, from + at, static_cast<std::size_t>(bytes - at));
    _mm_sfence();
#else
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
#endif
}

}  // namespace loupe::runtime
