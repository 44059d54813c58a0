// SPDX-License-Identifier: Apache-2.0
#include "tests/nn/constructor_call.h"

#include <fstream>
#include <sstream>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/call.h"
#include "core/nn/layer.h"
#include "core/nn/layers/support.h"
#include "core/nn/native_function.h"
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

// T, I and E.
IValue made_tensor(std::string_view kind, const std::vector<IValue>& arguments) {
    static const OperatorHandle<> op_randn("aten::randn");
    static const OperatorHandle<> op_randint("aten::randint.low");
    Dims sizes;
    for (const IValue& argument : arguments) sizes.push_back(argument.to_int());
    if (kind == "E") return zeros(span_of(sizes));
    if (kind == "T") return op_randn(sizes, IValue(), IValue(), IValue(), IValue());
    const std::int64_t high = sizes.front();
    sizes.erase(sizes.begin());
    return op_randint(0, high, sizes, static_cast<std::int64_t>(ScalarType::Int64), IValue(), IValue(), IValue());
}

IValue called(const Call& call) {
    if (const auto* name = as<Name>(call.callee)) return made_tensor(name->id, values_of(call.arguments));
    const auto* callee = as<Attribute>(call.callee);
    if (callee == nullptr) throw Error(ErrorKind::Usage, "not a constructor call");
    if (callee->name == "Size") return nn::layers::torch_size(span_of(value_of(call.arguments[0]).to_ints()));
    std::vector<IValue> arguments = values_of(call.arguments);
    std::vector<std::pair<std::string, IValue>> keywords;
    for (const Keyword& keyword : call.keywords) keywords.emplace_back(keyword.name, value_of(keyword.value));
    const auto* from = as<Name>(callee->object);
    if (from != nullptr && from->id != "nn") {
        const nn::NativeFunction* function =
            from->id == "F" ? nn::find_functional(callee->name) : nn::find_init(callee->name);
        if (function == nullptr) throw Error(ErrorKind::Usage, concat("no function ", callee->name));
        return nn::call_function(*function, {std::move(arguments), std::move(keywords)});
    }
    return Ptr<Object>(nn::make_layer(callee->name, std::move(arguments), std::move(keywords)));
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
        case ExprKind::True:
            return true;
        case ExprKind::False:
            return false;
        case ExprKind::None:
            return {};
        default:
            throw Error(ErrorKind::Usage, "the model's source is more than a constructor call");
    }
}

}  // namespace

IValue evaluate_call(const std::string& call) {
    const auto source = std::make_shared<ir::Source>(call);
    const auto tree = parse_expression(source);
    return value_of(as<ExprStmt>(tree->body.front())->value);
}

nn::ModulePtr build_layer(const std::string& call) { return nn::as_module(evaluate_call(call)); }

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
