// SPDX-License-Identifier: Apache-2.0
#include "core/ir/verify.h"

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/ir/printer.h"
#include "core/ir/schema_match.h"

namespace loupe::ir {
namespace {

[[noreturn]] void fail(const Node& node, std::string_view what) {
    throw Error(ErrorKind::Internal, concat("graph: \"", print_node(node), "\" ", what));
}

// Could a value of one type be one of the other: one is the other, a part of it, or they cannot be told apart.
bool are_compatible(const TypePtr& a, const TypePtr& b) {
    if (a->is_subtype_of(*b) || b->is_subtype_of(*a)) return true;
    const auto is_open = [](const Type& type) { return type.kind() == TypeKind::Any || type.kind() == TypeKind::Var; };
    if (is_open(*a) || is_open(*b)) return true;
    if (a->kind() == TypeKind::Optional && are_compatible(a->element(), b)) return true;
    if (b->kind() == TypeKind::Optional && are_compatible(a, b->element())) return true;
    if (a->kind() != b->kind() || a->contained().size() != b->contained().size() || a->contained().empty()) return false;
    for (std::size_t i = 0; i < a->contained().size(); ++i) {
        if (!are_compatible(a->contained()[i], b->contained()[i])) return false;
    }
    return true;
}

void check_operator(const Node& node) {
    if (operators_named(node.kind().str()).empty()) return;
    const Operator* op = node.op();
    if (op == nullptr) fail(node, "has inputs that fit no overload");
    const auto& returns = op->schema.returns;
    if (op->schema.is_varret) return;
    if (node.outputs().size() != returns.size() && !node.outputs().empty()) {
        fail(node, concat("has ", node.outputs().size(), " outputs, its schema has ", returns.size()));
    }
    if (node.kind() == prim::EnumValue) return;  // its overloads differ in the result only
    TypeBindings bindings;
    std::vector<TypePtr> types;
    for (const Value* input : node.inputs()) types.push_back(input->type());
    match_schema(op->schema, types, bindings);
    for (std::size_t i = 0; i < node.outputs().size(); ++i) {
        const TypePtr expected = substitute(returns[i].type, bindings);
        if (!are_compatible(node.output(i)->type(), expected)) {
            fail(node, concat("gives ", node.output(i)->type()->str(), " where its schema gives ", expected->str()));
        }
    }
}

void check_results(const Node& node, const std::vector<Value*>& results, std::size_t skipped) {
    for (std::size_t i = 0; i < node.outputs().size(); ++i) {
        const TypePtr& given = results[i + skipped]->type();
        if (!are_compatible(given, node.output(i)->type())) {
            fail(node, concat("has a block that gives ", given->str(), " for ", node.output(i)->type()->str()));
        }
    }
}

void check_block(const Block& block) {
    for (const Node* node : block.nodes()) {
        check_operator(*node);
        for (std::size_t i = 0; i < node->block_count(); ++i) {
            check_block(*node->block_at(i));
            const bool is_loop = node->kind() == prim::Loop;
            if (is_loop || node->kind() == prim::If) check_results(*node, node->block_at(i)->outputs(), is_loop ? 1 : 0);
        }
    }
}

}  // namespace

void verify(const Graph& graph) {
    graph.lint();
    check_block(*graph.block());
}

}  // namespace loupe::ir
