// SPDX-License-Identifier: Apache-2.0
#include "tests/nn/constructor_call.h"

#include <fstream>
#include <sstream>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/nn/layer.h"
#include "core/nn/layers/support.h"
#include "core/script/parser.h"

namespace loupe::test {
namespace {

using namespace script;

IValue value_of(const Expr* node);

std::vector<IValue> values_of(std::span<const Expr* const> nodes) {
    std::vector<IValue> out;
    for (const Expr* node : nodes) out.push_back(value_of(node));
    return out;
}

IValue called(const Call& call) {
    const auto* callee = as<Attribute>(call.callee);
    if (callee == nullptr) throw Error(ErrorKind::Usage, "not a constructor call");
    if (callee->name == "Size") return nn::layers::torch_size(span_of(value_of(call.arguments[0]).to_ints()));
    std::vector<std::pair<std::string, IValue>> keywords;
    for (const Keyword& keyword : call.keywords) keywords.emplace_back(keyword.name, value_of(keyword.value));
    return Ptr<Object>(nn::make_layer(callee->name, values_of(call.arguments), std::move(keywords)));
}

IValue number(std::string_view text) {
    const std::string copy(text);
    if (copy.find_first_of(".e") == std::string::npos) return static_cast<std::int64_t>(std::stoll(copy));
    return std::stod(copy);
}

IValue value_of(const Expr* node) {
    if (const auto* literal = as<Number>(node)) return number(literal->text);
    if (const auto* literal = as<String>(node)) return std::string(literal->value);
    if (const auto* call = as<Call>(node)) return called(*call);
    if (const auto* tuple = as<script::Tuple>(node)) return make_ptr<TupleObject>(values_of(tuple->elements));
    if (const auto* list = as<script::List>(node)) return make_ptr<ListObject>(types::any(), values_of(list->elements));
    if (const auto* unary = as<Unary>(node)) {
        const IValue operand = value_of(unary->operand);
        return operand.is_int() ? IValue(-operand.to_int()) : IValue(-operand.to_double());
    }
    switch (node->kind) {
        case ExprKind::True: return true;
        case ExprKind::False: return false;
        case ExprKind::None: return {};
        default: throw Error(ErrorKind::Usage, "the model's source is more than a constructor call");
    }
}

}  // namespace

nn::ModulePtr build_layer(const std::string& call) {
    const auto source = std::make_shared<ir::Source>(call);
    const auto tree = parse_expression(source);
    return nn::as_module(value_of(as<ExprStmt>(tree->body.front())->value));
}

nn::ModulePtr build_model(const std::filesystem::path& path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    const std::string all = text.str();
    const auto start = all.find("model = ");
    if (start == std::string::npos) throw Error(ErrorKind::Usage, "the source has no model");
    return build_layer(all.substr(start + 8, all.find('\n', start) - start - 8));
}

}  // namespace loupe::test
