// SPDX-License-Identifier: Apache-2.0
#pragma once
// The numbers at the head of a frame: two of 4 bytes, little endian.

#include <cstddef>
#include <cstdint>

namespace loupe::session {

inline constexpr std::size_t kFrameHead = 8;

inline void put_number(char* to, std::uint32_t value) {
    for (int i = 0; i < 4; ++i) to[i] = static_cast<char>(value >> (8 * i));
}
inline std::uint32_t number_at(const char* from) {
    std::uint32_t value = 0;
    for (int i = 0; i < 4; ++i) value |= static_cast<std::uint32_t>(static_cast<unsigned char>(from[i])) << (8 * i);
    return value;
}

}  // namespace loupe::session
