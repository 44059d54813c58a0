// SPDX-License-Identifier: Apache-2.0
#include "core/formats/exported/program_json.h"

#include <array>
#include <limits>

#include "core/formats/archive/byte_reader.h"

namespace loupe::exported {
namespace {

constexpr int kDeepest = 400;

[[noreturn]] void fail(std::string_view what, std::string_view wanted) {
    throw_file_error(concat("the program's ", what, " is no ", wanted));
}

// Numbers that Python writes and JSON does not have, as strings.
std::string with_quoted_numbers(std::string_view text) {
    constexpr std::array<std::string_view, 3> kNames{"-Infinity", "Infinity", "NaN"};
    std::string out;
    out.reserve(text.size());
    bool in_string = false;
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (in_string) {
            out += c;
            if (c == '\\' && i + 1 < text.size()) out += text[++i];
            in_string = c != '"';
            continue;
        }
        if (c == '"') in_string = true;
        if (c == '[' || c == '{') ++depth;
        if (c == ']' || c == '}') --depth;
        if (depth > kDeepest) throw_file_error(concat("the program's JSON nests deeper than ", kDeepest, " levels"));
        bool is_name = false;
        for (const std::string_view name : kNames) {
            if ((c != '-' && c != 'I' && c != 'N') || !text.substr(i).starts_with(name)) continue;
            out += concat("\"", name, "\"");
            i += name.size() - 1;
            is_name = true;
            break;
        }
        if (!is_name) out += c;
    }
    return out;
}

}  // namespace

Json parse_program_json(const std::string& text, std::string_view what) {
    Json json = Json::parse(with_quoted_numbers(text), nullptr, false);
    if (json.is_discarded()) throw_file_error(concat(what, " is no JSON"));
    return json;
}

const Json* find_member(const Json& object, const char* name, std::string_view what) {
    if (!object.is_object()) fail(what, "object");
    const auto found = object.find(name);
    return found == object.end() || found->is_null() ? nullptr : &*found;
}

const Json& member(const Json& object, const char* name, std::string_view what) {
    const Json* found = find_member(object, name, what);
    if (found == nullptr) throw_file_error(concat("the program's ", what, " has no ", name));
    return *found;
}

const std::string& text_of(const Json& value, std::string_view what) {
    if (!value.is_string()) fail(what, "text");
    return value.get_ref<const std::string&>();
}

std::int64_t int_of(const Json& value, std::string_view what) {
    if (!value.is_number_integer()) fail(what, "whole number");
    if (value.is_number_unsigned() && value.get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max()) {
        fail(what, "64-bit number");
    }
    return value.get<std::int64_t>();
}

double float_of(const Json& value, std::string_view what) {
    if (value.is_number()) return value.get<double>();
    const std::string& text = text_of(value, what);
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    if (text == "Infinity") return kInfinity;
    if (text == "-Infinity") return -kInfinity;
    if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
    fail(what, "number");
}

bool bool_of(const Json& value, std::string_view what) {
    if (!value.is_boolean()) fail(what, "true or false");
    return value.get<bool>();
}

const Json& list_of(const Json& value, std::string_view what) {
    if (!value.is_array()) fail(what, "list");
    return value;
}

const Json& object_of(const Json& value, std::string_view what) {
    if (!value.is_object()) fail(what, "object");
    return value;
}

const std::string& text_member(const Json& object, const char* name, std::string_view what) {
    return text_of(member(object, name, what), what);
}

Union union_of(const Json& object, std::string_view what) {
    if (!object.is_object() || object.empty()) fail(what, "value of a known kind");
    const auto first = object.begin();
    return {first.key(), *first};
}

std::int64_t size_of(const Json& size, std::string_view what) {
    const auto [kind, value] = union_of(size, what);
    if (kind == "as_int") return int_of(value, what);
    const Json* hint = find_member(value, "hint", what);
    if (kind != "as_expr" || hint == nullptr) fail(what, "size");
    return size_of(*hint, what);
}

}  // namespace loupe::exported
