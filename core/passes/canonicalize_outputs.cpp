// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <optional>

#include "core/passes/graph_tools.h"
#include "core/passes/pass_list.h"

namespace loupe::passes {
namespace {

using ir::Block;
using ir::Node;
using ir::Use;
using ir::Value;
namespace prim = ir::prim;

bool comes_before(const Use& a, const Use& b) {
    return a.user == b.user ? a.offset < b.offset : a.user->is_before(b.user);
}

std::optional<Use> first_use(const Value* value) {
    const auto first = std::min_element(value->uses().begin(), value->uses().end(), comes_before);
    return first == value->uses().end() ? std::nullopt : std::optional(*first);
}

// The outputs' places in the order of their first uses; unused ones last.
std::vector<std::size_t> order_of(const Node* node) {
    std::vector<std::optional<Use>> uses;
    for (const Value* output : node->outputs()) uses.push_back(first_use(output));
    std::vector<std::size_t> order(uses.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&uses](std::size_t a, std::size_t b) {
        if (!uses[a] || !uses[b]) return uses[a].has_value() && !uses[b].has_value();
        return comes_before(*uses[a], *uses[b]);
    });
    return order;
}

// Inputs from `first` on in another order.
void permute_inputs(Node* node, const std::vector<std::size_t>& order, std::size_t first) {
    const std::vector<Value*> before = node->inputs();
    for (std::size_t i = 0; i < order.size(); ++i) node->replace_input(first + i, before[first + order[i]]);
}

// New outputs replace the old ones.
void permute_outputs(Node* node, const std::vector<std::size_t>& order, std::size_t first) {
    const std::vector<Value*> before = node->outputs();
    for (const std::size_t i : order) {
        Value* old = before[first + i];
        Value* moved = node->add_output();
        moved->set_type(old->type());
        if (old->has_name()) {
            const std::string name = old->debug_name();
            old->set_name("");
            moved->set_name(name);
        }
        old->replace_all_uses_with(moved);
    }
    for (std::size_t i = 0; i < order.size(); ++i) node->erase_output(first);
}

void canonicalize(Node* node) {
    const std::vector<std::size_t> order = order_of(node);
    if (std::is_sorted(order.begin(), order.end())) return;
    permute_outputs(node, order, 0);
    if (node->kind() == prim::If) {
        for (const std::size_t b : {0U, 1U}) permute_inputs(node->block_at(b)->return_node(), order, 0);
    } else {
        permute_inputs(node, order, 2);
        permute_outputs(node->block_at(0)->param_node(), order, 1);
        permute_inputs(node->block_at(0)->return_node(), order, 1);
    }
}

// Backwards: an order depends on the uses that follow.
void visit(Block* block) {
    for (Node* node = block->return_node()->prev(); node != block->param_node(); node = node->prev()) {
        if (node->kind() == prim::If || node->kind() == prim::Loop) canonicalize(node);
        for (std::size_t i = 0; i < node->block_count(); ++i) visit(node->block_at(i));
    }
}

}  // namespace

const Pass kCanonicalizeOutputs{"CanonicalizeOutputs", "Orders the results of branches and loops by their first use.",
                                [](ir::Graph& graph, const PassContext&) { visit(graph.block()); }};

}  // namespace loupe::passes
