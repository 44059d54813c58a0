// SPDX-License-Identifier: Apache-2.0
#pragma once
// GPT-2's alphabet: a printable character for each byte.

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace loupe::text {

// For each byte.
const std::array<char32_t, 256>& byte_alphabet();
// Nothing for a character that stands for no byte.
std::optional<std::uint8_t> byte_of_char(char32_t c);
// "<0x0A>": the byte; nothing for other tokens.
std::optional<std::uint8_t> byte_of_token(std::string_view token);

}  // namespace loupe::text
