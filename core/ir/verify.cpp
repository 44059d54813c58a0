// SPDX-License-Identifier: Apache-2.0
#include "core/ir/verify.h"

#include <optional>

#include "core/base/deep_thread.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/ir/printer.h"
#include "core/ir/schema_match.h"

namespace loupe::ir {
namespace {

[[noreturn]] void fail(const Node& node, std::string_view what) {
    throw Error(ErrorKind::Internal, concat("graph: \"", print_node(node), "\" ", what));
}

// Could a value of one type be of the other: subtypes, or not distinguishable.
bool are_compatible(const TypePtr& a, const TypePtr& b) {
    if (a->is_subtype_of(*b) || b->is_subtype_of(*a)) return true;
    const auto is_open = [](const Type& type) { return type.kind() == TypeKind::Any || type.kind() == TypeKind::Var; };
    if (is_open(*a) || is_open(*b)) return true;
    if (a->kind() == TypeKind::Optional && are_compatible(a->element(), b)) return true;
    if (b->kind() == TypeKind::Optional && are_compatible(a, b->element())) return true;
    if (a->kind() != b->kind() || a->contained().size() != b->contained().size() || a->contained().empty())
        return false;
    for (std::size_t i = 0; i < a->contained().size(); ++i) {
        if (!are_compatible(a->contained()[i], b->contained()[i])) return false;
    }
    return true;
}

enum class Fit { Inputs, Both };

// How far a node fits an overload: not at all, its inputs only, or all of it.
std::optional<Fit> fit_of(const Node& node, const FunctionSchema& schema, std::span<const TypePtr> types) {
    TypeBindings bindings;
    if (!match_schema(schema, types, bindings)) return std::nullopt;
    if (schema.is_varret) return Fit::Both;
    if (node.outputs().size() != schema.returns.size() && !node.outputs().empty()) return Fit::Inputs;
    for (std::size_t i = 0; i < node.outputs().size(); ++i) {
        if (!are_compatible(node.output(i)->type(), substitute(schema.returns[i].type, bindings))) return Fit::Inputs;
    }
    return Fit::Both;
}

void check_operator(const Node& node) {
    const auto candidates = operators_named(node.kind().str());
    if (node.kind() == prim::unchecked_cast || candidates.empty()) return;
    std::vector<TypePtr> types;
    for (const Value* input : node.inputs()) types.push_back(input->type());
    bool inputs_fit = false;
    for (const Operator* op : candidates) {
        const auto fit = fit_of(node, op->schema, types);
        if (fit == Fit::Both) return;
        inputs_fit = inputs_fit || fit;
    }
    fail(node, inputs_fit ? "gives what no overload returns" : "has inputs that fit no overload");
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
            if (is_loop || node->kind() == prim::If)
                check_results(*node, node->block_at(i)->outputs(), is_loop ? 1 : 0);
        }
    }
}

}  // namespace

void verify(const Graph& graph) {
    constexpr std::uint32_t kMany = 20'000;  // nodes: a thread is started for less than their time
    run_both(
        graph.next_node_id() > kMany, [&] { graph.lint(); }, [&] { check_block(*graph.block()); });
}

}  // namespace loupe::ir
