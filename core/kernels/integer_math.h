// SPDX-License-Identifier: Apache-2.0
#pragma once
// Integer arithmetic where plain operators would be undefined: wrapping around, or with an error.

#include <cstdint>
#include <numeric>

#include "core/base/error.h"

namespace loupe {

inline std::uint64_t wrapping_magnitude(std::int64_t a) {
    return a < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(a) : static_cast<std::uint64_t>(a);
}

inline std::int64_t wrapping_gcd(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(std::gcd(wrapping_magnitude(a), wrapping_magnitude(b)));
}

inline std::int64_t wrapping_lcm(std::int64_t a, std::int64_t b) {
    const std::uint64_t divisor = std::gcd(wrapping_magnitude(a), wrapping_magnitude(b));
    return divisor == 0 ? 0 : static_cast<std::int64_t>(wrapping_magnitude(a) / divisor * wrapping_magnitude(b));
}

inline std::int64_t wrapping_product(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}
inline std::int64_t wrapping_sum(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

// For sizes and offsets that a program computes. Throw Error (Run) when the result overflows 64 bits.
inline std::int64_t checked_product(std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    if (__builtin_mul_overflow(a, b, &result)) throw Error(ErrorKind::Run, "integer out of range");
    return result;
}
inline std::int64_t checked_sum(std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    if (__builtin_add_overflow(a, b, &result)) throw Error(ErrorKind::Run, "integer out of range");
    return result;
}

}  // namespace loupe
