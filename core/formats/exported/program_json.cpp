// SPDX-License-Identifier: Apache-2.0
#include "core/formats/exported/program_json.h"

#include <limits>

#include "core/formats/archive/byte_reader.h"

namespace loupe::exported {
namespace {

[[noreturn]] void fail(std::string_view what, std::string_view wanted) {
    throw_file_error(concat("the program's ", what, " is no ", wanted));
}

}  // namespace

JsonDocument parse_program_json(std::string_view text, std::string_view what, JsonText kind) {
    auto document = kind == JsonText::Padded ? JsonDocument::parse_padded(text) : JsonDocument::parse(text);
    if (!document) throw_file_error(concat(what, " is no JSON, or nests too deep"));
    return std::move(*document);
}

const JsonValue* find_member(const JsonValue& object, const char* name, std::string_view what) {
    if (!object.is_object()) fail(what, "object");
    const JsonValue* found = object.find(name);
    return found == nullptr || found->is_null() ? nullptr : found;
}

const JsonValue& member(const JsonValue& object, const char* name, std::string_view what) {
    const JsonValue* found = find_member(object, name, what);
    if (found == nullptr) throw_file_error(concat("the program's ", what, " has no ", name));
    return *found;
}

std::string_view text_of(const JsonValue& value, std::string_view what) {
    if (!value.is_string()) fail(what, "text");
    return value.text();
}

std::int64_t int_of(const JsonValue& value, std::string_view what) {
    if (!value.is_integer()) fail(what, "whole number");
    if (value.kind() == JsonValue::Kind::Unsigned) fail(what, "64-bit number");
    return value.integer();
}

double float_of(const JsonValue& value, std::string_view what) {
    if (value.is_number()) return value.number();
    const std::string_view text = text_of(value, what);
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    if (text == "Infinity") return kInfinity;
    if (text == "-Infinity") return -kInfinity;
    if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
    fail(what, "number");
}

bool bool_of(const JsonValue& value, std::string_view what) {
    if (!value.is_boolean()) fail(what, "true or false");
    return value.boolean();
}

std::span<const JsonValue> list_of(const JsonValue& value, std::string_view what) {
    if (!value.is_list()) fail(what, "list");
    return value.elements();
}

std::span<const JsonMember> members_of(const JsonValue& value, std::string_view what) {
    if (!value.is_object()) fail(what, "object");
    return value.members();
}

std::string_view text_member(const JsonValue& object, const char* name, std::string_view what) {
    return text_of(member(object, name, what), what);
}

Union union_of(const JsonValue& object, std::string_view what) {
    if (!object.is_object() || object.empty()) fail(what, "value of a known kind");
    const JsonMember& first = object.members().front();
    return {first.key, first.value};
}

std::int64_t size_of(const JsonValue& size, std::string_view what) {
    const auto [kind, value] = union_of(size, what);
    if (kind == "as_int") return int_of(value, what);
    const JsonValue* hint = find_member(value, "hint", what);
    if (kind != "as_expr" || hint == nullptr) fail(what, "size");
    return size_of(*hint, what);
}

}  // namespace loupe::exported
