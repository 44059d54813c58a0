// SPDX-License-Identifier: Apache-2.0
#pragma once
// Fields of protobuf messages as their bytes, to write messages by hand: one after the other is a message.

#include <cstdint>
#include <string>
#include <string_view>

namespace loupe::fuzz {

std::string varint(std::uint64_t value);
std::string number_field(int field, std::int64_t value);
std::string float_field(int field, float value);
// Text, bytes or a message.
std::string bytes_field(int field, std::string_view bytes);

}  // namespace loupe::fuzz
