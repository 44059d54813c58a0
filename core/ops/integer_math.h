// SPDX-License-Identifier: Apache-2.0
#pragma once
// Integer arithmetic that wraps around instead of being undefined at the least integer.

#include <cstdint>
#include <numeric>

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

}  // namespace loupe
