// SPDX-License-Identifier: Apache-2.0
#pragma once
// Checked reading of a program's JSON: a value of another type is one line about the file.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/json_document.h"

namespace loupe::exported {

// Padded: JsonDocument::kPadding bytes can be read behind it.
enum class JsonText { Plain, Padded };

// Throws Error (File) for text that is no JSON object, or nests deeper than any program. NaN and Infinity, as PyTorch
// wrote before 2.7, stand as strings.
JsonDocument parse_program_json(std::string_view text, std::string_view what, JsonText kind = JsonText::Plain);

// Null when there is none, or it is JSON's null. what: the value's name in errors.
const JsonValue* find_member(const JsonValue& object, const char* name, std::string_view what);
// Throws Error (File) when it is missing or null.
const JsonValue& member(const JsonValue& object, const char* name, std::string_view what);

std::string_view text_of(const JsonValue& value, std::string_view what);
std::int64_t int_of(const JsonValue& value, std::string_view what);
// Also of "Infinity", "-Infinity" and "NaN".
double float_of(const JsonValue& value, std::string_view what);
bool bool_of(const JsonValue& value, std::string_view what);
std::span<const JsonValue> list_of(const JsonValue& value, std::string_view what);
std::span<const JsonMember> members_of(const JsonValue& value, std::string_view what);
std::string_view text_member(const JsonValue& object, const char* name, std::string_view what);

// A union is an object with one key: its name and value.
struct Union {
    std::string_view kind;
    const JsonValue& value;
};
Union union_of(const JsonValue& object, std::string_view what);

// {"as_int": 3}, or the hint of {"as_expr": ...}: a size as it was when the program was exported.
std::int64_t size_of(const JsonValue& size, std::string_view what);

}  // namespace loupe::exported
