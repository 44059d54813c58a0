// SPDX-License-Identifier: Apache-2.0
#include "core/model/call_text.h"

#include <algorithm>
#include <cctype>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/base/trimmed.h"
#include "core/model/literal.h"

namespace loupe::session {
namespace {

bool is_name(std::string_view text) {
    if (text.empty() || std::isdigit(static_cast<unsigned char>(text.front())) != 0) return false;
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; });
}

[[noreturn]] void refuse(std::string_view text) {
    throw Error(ErrorKind::Usage, concat("'", text, "' is no call"),
                {.hint = "write it as Python does: Name(1, key=0.5)"});
}

// At commas that stand in no bracket and no string.
std::vector<std::string> arguments_in(std::string_view inside, std::string_view all) {
    std::vector<std::string> parts;
    std::size_t begin = 0;
    int depth = 0;
    char quote = 0;
    for (std::size_t i = 0; i < inside.size(); ++i) {
        const char c = inside[i];
        if (quote != 0) {
            if (c == '\\')
                ++i;
            else if (c == quote)
                quote = 0;
            continue;
        }
        if (c == '\'' || c == '"') quote = c;
        if (c == '(' || c == '[' || c == '{') ++depth;
        if (c == ')' || c == ']' || c == '}') --depth;
        if (depth < 0) refuse(all);
        if (c != ',' || depth > 0) continue;
        parts.push_back(std::string(trimmed(inside.substr(begin, i - begin))));
        begin = i + 1;
    }
    if (depth != 0 || quote != 0) refuse(all);
    if (const std::string last = std::string(trimmed(inside.substr(begin))); !last.empty()) parts.push_back(last);
    return parts;
}

// A number stands for a list of it where a list is wanted; (2, 3) too.
IValue value_of(const std::string& text, const Type& type) {
    try {
        return literal_value(text, type);
    } catch (const Error&) {
        if (type.kind() == TypeKind::Optional ? type.element()->kind() != TypeKind::List
                                              : type.kind() != TypeKind::List)
            throw;
        return literal_value(text, *types::any());
    }
}

}  // namespace

CallText parse_call(std::string_view text) {
    const std::string whole = std::string(trimmed(text));
    CallText call;
    const auto open = whole.find('(');
    call.name = std::string(trimmed(std::string_view(whole).substr(0, open)));
    const auto dot = call.name.rfind('.');  // nn.Linear
    if (dot != std::string::npos) call.name.erase(0, dot + 1);
    if (!is_name(call.name)) refuse(text);
    if (open == std::string::npos) return call;
    if (whole.back() != ')') refuse(text);
    for (std::string& part : arguments_in(std::string_view(whole).substr(open + 1, whole.size() - open - 2), text)) {
        const auto equals = part.find('=');
        const std::string keyword = equals == std::string::npos
                                        ? std::string()
                                        : std::string(trimmed(std::string_view(part).substr(0, equals)));
        if (part.empty()) refuse(text);
        if (is_name(keyword))
            call.arguments.push_back({keyword, std::string(trimmed(std::string_view(part).substr(equals + 1)))});
        else
            call.arguments.push_back({{}, std::move(part)});
    }
    return call;
}

std::string call_text(const CallText& call) {
    std::vector<std::string> parts;
    for (const CallText::Argument& argument : call.arguments) {
        parts.push_back(argument.keyword.empty() ? argument.text : concat(argument.keyword, "=", argument.text));
    }
    return concat(call.name, "(", join(parts, ", "), ")");
}

CallArguments call_arguments(const CallText& call, const FunctionSchema& schema, std::size_t skip) {
    CallArguments out;
    std::size_t place = skip;
    for (const CallText::Argument& argument : call.arguments) {
        const auto named = std::find_if(schema.arguments.begin(), schema.arguments.end(),
                                        [&](const Argument& a) { return a.name == argument.keyword; });
        const bool is_known =
            argument.keyword.empty() ? place < schema.arguments.size() : named != schema.arguments.end();
        const Argument* target = !is_known ? nullptr : argument.keyword.empty() ? &schema.arguments[place++] : &*named;
        IValue value = value_of(argument.text, target != nullptr ? *target->type : *types::any());
        if (argument.keyword.empty())
            out.positional.push_back(std::move(value));
        else
            out.keywords.emplace_back(argument.keyword, std::move(value));
    }
    return out;
}

}  // namespace loupe::session
