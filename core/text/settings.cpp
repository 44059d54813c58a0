// SPDX-License-Identifier: Apache-2.0
#include "core/text/settings.h"

#include <limits>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/text/unicode.h"

namespace loupe::text {

void refuse(std::string message) { throw Error(ErrorKind::File, std::move(message)); }

const JsonValue* part_of(const JsonValue& object, std::string_view name) {
    const JsonValue* found = object.find(name);
    return found == nullptr || found->is_null() ? nullptr : found;
}

bool flag_of(const JsonValue& object, std::string_view name, bool otherwise) {
    const JsonValue* found = part_of(object, name);
    if (found == nullptr) return otherwise;
    if (!found->is_boolean()) refuse(concat(name, " is neither true nor false"));
    return found->boolean();
}

std::optional<std::string> optional_text(const JsonValue& object, std::string_view name) {
    const JsonValue* found = part_of(object, name);
    if (found == nullptr) return std::nullopt;
    if (!found->is_string()) refuse(concat(name, " is no string"));
    return std::string(found->text());
}

std::string text_of(const JsonValue& object, std::string_view name, std::optional<std::string> otherwise) {
    if (auto found = optional_text(object, name)) return *std::move(found);
    if (!otherwise) refuse(concat(name, " is missing"));
    return *std::move(otherwise);
}

char32_t char_of(const JsonValue& object, std::string_view name, char32_t otherwise) {
    const auto found = optional_text(object, name);
    if (!found) return otherwise;
    std::size_t at = 0;
    const char32_t c = found->empty() ? 0 : next_char(*found, at);
    if (at == 0 || at != found->size()) refuse(concat(name, " is not one character"));
    return c;
}

std::int64_t integer_of(const JsonValue& object, std::string_view name, std::int64_t otherwise) {
    const JsonValue* found = part_of(object, name);
    if (found == nullptr) return otherwise;
    if (found->kind() != JsonValue::Kind::Integer) refuse(concat(name, " is no integer"));
    return found->integer();
}

std::span<const JsonValue> list_of(const JsonValue& object, std::string_view name) {
    const JsonValue* found = part_of(object, name);
    if (found == nullptr || !found->is_list()) refuse(concat(name, " is no list"));
    return found->elements();
}

std::int32_t id_of(const JsonValue& value, std::string_view token) {
    if (value.kind() != JsonValue::Kind::Integer || value.integer() < 0 ||
        value.integer() > std::numeric_limits<std::int32_t>::max())
        refuse(concat("the id of the token ", python_repr(token), " is none: ", value.dump()));
    return static_cast<std::int32_t>(value.integer());
}

}  // namespace loupe::text
