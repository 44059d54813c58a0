// SPDX-License-Identifier: Apache-2.0
#pragma once
// Checked reading of a program's JSON: a value of another type is one line about the file.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace loupe::exported {

using Json = nlohmann::ordered_json;

// Throws Error (File) for text that is no JSON object, or nests deeper than any program. Bare NaN and Infinity, as
// PyTorch wrote before 2.7, stand as strings.
Json parse_program_json(const std::string& text, std::string_view what);

// Null when there is none, or it is JSON's null. what: the value's name in errors.
const Json* find_member(const Json& object, const char* name, std::string_view what);
// Throws Error (File) when it is missing or null.
const Json& member(const Json& object, const char* name, std::string_view what);

const std::string& text_of(const Json& value, std::string_view what);
std::int64_t int_of(const Json& value, std::string_view what);
// Also of "Infinity", "-Infinity" and "NaN".
double float_of(const Json& value, std::string_view what);
bool bool_of(const Json& value, std::string_view what);
const Json& list_of(const Json& value, std::string_view what);
const Json& object_of(const Json& value, std::string_view what);
const std::string& text_member(const Json& object, const char* name, std::string_view what);

// A union is an object with one key: its name and value.
struct Union {
    std::string_view kind;
    const Json& value;
};
Union union_of(const Json& object, std::string_view what);

// {"as_int": 3}, or the hint of {"as_expr": ...}: a size as it was when the program was exported.
std::int64_t size_of(const Json& size, std::string_view what);

}  // namespace loupe::exported
