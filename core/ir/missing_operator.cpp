// SPDX-License-Identifier: Apache-2.0
#include "core/ir/missing_operator.h"

#include "core/base/strings.h"

namespace loupe::ir {
namespace {

bool is_number(const std::string& text) { return text.find_first_not_of("0123456789") == std::string::npos; }

// The value's name without its numeric suffix; empty when it has none.
std::string plain_name(const Value& value) {
    std::string name = value.debug_name();
    if (const auto dot = name.rfind('.'); dot != std::string::npos && is_number(name.substr(dot + 1))) name.resize(dot);
    return is_number(name) ? std::string() : name;
}

}  // namespace

bool is_missing_operator(const Node& node) {
    static const Symbol kWait = Symbol::intern("aten::wait");
    static const Symbol kUnwrap = Symbol::intern("aten::_unwrap_optional");
    if (node.kind().space() == "prim" || node.block_count() > 0 || node.op() != nullptr) return false;
    return node.kind() != kWait && node.kind() != kUnwrap;
}

std::string missing_schema(const Node& node) {
    std::vector<std::string> arguments;
    for (std::size_t i = 0; i < node.inputs().size(); ++i) {
        const Value& input = *node.input(i);
        const bool is_self = i == 0 && input.type()->kind() == TypeKind::Tensor;
        const std::string name = is_self ? "self" : plain_name(input);
        arguments.push_back(name.empty() ? input.type()->str() : concat(input.type()->str(), " ", name));
    }
    std::string result = "Tensor";
    if (!node.outputs().empty()) result = node.output(0)->type()->str();
    return concat(node.kind().str(), "(", join(arguments, ", "), ") -> ", result);
}

}  // namespace loupe::ir
