// SPDX-License-Identifier: Apache-2.0
#include "core/value/schema.h"

#include <algorithm>

#include "core/base/strings.h"

namespace loupe {
namespace {

std::string alias_text(const AliasInfo& alias) {
    std::string out = concat("(", alias.set, alias.is_write ? "!" : "");
    if (alias.set_after != alias.set) out += concat(" -> ", alias.set_after);
    return out + ")";
}

// An int list whose elements are all the same is written as one int: "int[2] stride=1".
std::string default_text(const Argument& argument, const IValue& value) {
    const bool is_int_list =
        argument.type->kind() == TypeKind::List && argument.type->element()->kind() == TypeKind::Int;
    if (is_int_list && value.is_list()) {
        const auto& elements = value.to_list().elements;
        const bool all_same = std::all_of(elements.begin(), elements.end(),
                                          [&](const IValue& v) { return v.to_int() == elements.front().to_int(); });
        if (elements.size() > 1 && all_same) return std::to_string(elements.front().to_int());
    }
    return constant_text(value);
}

std::string argument_text(const Argument& argument) {
    std::string type = argument.type_text.empty() ? argument.type->schema_str() : argument.type_text;
    const bool is_optional = argument.type->kind() == TypeKind::Optional && type.ends_with('?');
    if (is_optional) type.pop_back();
    if (argument.element_alias) type.insert(type.rfind('['), alias_text(*argument.element_alias));
    if (argument.alias) type += alias_text(*argument.alias);
    if (is_optional) type += '?';
    if (!argument.name.empty()) type += " " + argument.name;
    if (argument.default_value) type += "=" + default_text(argument, *argument.default_value);
    return type;
}

std::string returns_text(const FunctionSchema& schema) {
    if (schema.returns.empty() && schema.is_varret) return "...";
    std::vector<std::string> parts;
    for (const auto& each : schema.returns) parts.push_back(argument_text(each));
    if (schema.is_varret) parts.emplace_back("...");
    // One tuple needs its own parentheses, or it would parse as several returns.
    if (parts.size() == 1 && !parts.front().starts_with('(')) return parts.front();
    return concat("(", join(parts, ", "), ")");
}

}  // namespace

std::string FunctionSchema::str() const {
    std::vector<std::string> parts;
    bool after_star = false;
    for (const auto& argument : arguments) {
        if (argument.kwarg_only && !after_star) {
            parts.emplace_back("*");
            after_star = true;
        }
        parts.push_back(argument_text(argument));
    }
    if (is_vararg) parts.emplace_back("...");
    return concat(full_name(), "(", join(parts, ", "), ") -> ", returns_text(*this));
}

std::optional<std::size_t> FunctionSchema::find_argument(std::string_view argument) const {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i].name == argument) return i;
    }
    return std::nullopt;
}

bool FunctionSchema::has_write() const {
    return std::any_of(arguments.begin(), arguments.end(), [](const Argument& a) {
        return (a.alias && a.alias->is_write) || (a.element_alias && a.element_alias->is_write);
    });
}

std::string Function::name() const { return std::string(split(qualified_name(), '.').back()); }

}  // namespace loupe
