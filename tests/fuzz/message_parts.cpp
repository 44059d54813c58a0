// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/message_parts.h"

#include <bit>

namespace loupe::fuzz {
namespace {

std::string tag(int field, std::uint64_t wire) { return varint(static_cast<std::uint64_t>(field) << 3 | wire); }

}  // namespace

std::string varint(std::uint64_t value) {
    std::string out;
    for (; value >= 0x80; value >>= 7) out += static_cast<char>(0x80 | (value & 0x7f));
    return out + static_cast<char>(value);
}

std::string number_field(int field, std::int64_t value) {
    return tag(field, 0) + varint(static_cast<std::uint64_t>(value));
}

std::string float_field(int field, float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    std::string out = tag(field, 5);
    for (int i = 0; i < 4; ++i) out += static_cast<char>((bits >> (8 * i)) & 0xff);
    return out;
}

std::string bytes_field(int field, std::string_view bytes) {
    return tag(field, 2) + varint(bytes.size()) + std::string(bytes);
}

}  // namespace loupe::fuzz
