// SPDX-License-Identifier: Apache-2.0
#include "core/text/byte_alphabet.h"

#include <charconv>

namespace loupe::text {

const std::array<char32_t, 256>& byte_alphabet() {
    static const std::array<char32_t, 256> alphabet = [] {
        std::array<char32_t, 256> out{};
        char32_t next = 256;
        for (char32_t byte = 0; byte < 256; ++byte) {
            const bool is_printable = (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
            out[byte] = is_printable ? byte : next++;
        }
        return out;
    }();
    return alphabet;
}

std::optional<std::uint8_t> byte_of_char(char32_t c) {
    static const std::array<int, 512> bytes = [] {
        std::array<int, 512> out{};
        out.fill(-1);
        for (std::size_t byte = 0; byte < 256; ++byte) out[byte_alphabet()[byte]] = static_cast<int>(byte);
        return out;
    }();
    if (c >= bytes.size() || bytes[c] < 0) return std::nullopt;
    return static_cast<std::uint8_t>(bytes[c]);
}

std::optional<std::uint8_t> byte_of_token(std::string_view token) {
    if (token.size() != 6 || !token.starts_with("<0x") || token.back() != '>') return std::nullopt;
    std::uint8_t byte = 0;
    const auto [end, error] = std::from_chars(token.data() + 3, token.data() + 5, byte, 16);
    if (error != std::errc() || end != token.data() + 5) return std::nullopt;
    return byte;
}

}  // namespace loupe::text
