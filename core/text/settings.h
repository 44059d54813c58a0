// SPDX-License-Identifier: Apache-2.0
#pragma once
// Fields of tokenizer.json. Each throws Error (File) for a field of another kind; one that is missing or null has the
// default.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/json_document.h"

namespace loupe::text {

[[noreturn]] void refuse(std::string message);

bool flag_of(const JsonValue& object, std::string_view name, bool otherwise);
std::string text_of(const JsonValue& object, std::string_view name, std::optional<std::string> otherwise = {});
std::optional<std::string> optional_text(const JsonValue& object, std::string_view name);
// One character.
char32_t char_of(const JsonValue& object, std::string_view name, char32_t otherwise);
std::int64_t integer_of(const JsonValue& object, std::string_view name, std::int64_t otherwise);
// Null where there is none.
const JsonValue* part_of(const JsonValue& object, std::string_view name);
// The elements of a list of parts; throws where it is missing.
std::span<const JsonValue> list_of(const JsonValue& object, std::string_view name);
// An id of a token: 0 to 2^31 - 1.
std::int32_t id_of(const JsonValue& value, std::string_view token);

}  // namespace loupe::text
