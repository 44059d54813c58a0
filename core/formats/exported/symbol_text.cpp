// SPDX-License-Identifier: Apache-2.0
#include "core/formats/exported/symbol_text.h"

#include <algorithm>

#include "core/base/strings.h"

namespace loupe::exported {
namespace {

bool is_numbered(std::string_view name, std::string_view start) {
    return name.starts_with(start) && name.size() > start.size() &&
           name.find_first_not_of("0123456789", start.size()) == std::string_view::npos;
}

}  // namespace

std::string srepr(const SymbolExpression& expression) {
    using Kind = SymbolExpression::Kind;
    if (expression.kind == Kind::Number) return concat("Integer(", expression.number, ")");
    if (expression.kind == Kind::Symbol) {
        const std::string& name = expression.name;
        if (is_numbered(name, "zuf")) return concat("Symbol('", name, "')");
        if (is_numbered(name, "u")) return concat("Symbol('", name, "', integer=True)");
        return concat("Symbol('", name, "', positive=True, integer=True)");
    }
    if (expression.name.starts_with("Float(")) return expression.name;  // a number by its text
    std::vector<std::string> parts;
    for (const SymbolExpression& part : expression.parts) parts.push_back(srepr(part));
    return concat(expression.name, "(", join(parts, ", "), ")");
}

}  // namespace loupe::exported
