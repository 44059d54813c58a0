// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_set>

#include "core/passes/graph_tools.h"
#include "core/passes/pass_list.h"
#include "core/passes/subgraph_tools.h"

namespace loupe::passes {
namespace {

using ir::Graph;
using ir::Node;
using ir::Symbol;
using ir::Value;

bool is_tensor(const Value* value) { return value->type()->kind() == TypeKind::Tensor; }

// A list of tensors that is unpacked directly, so that both nodes are in one group.
bool is_unpacked_at_once(const Value* value) {
    const bool is_list =
        value->type()->kind() == TypeKind::List && value->type()->element()->kind() == TypeKind::Tensor;
    if (!is_list || value->uses().size() != 1) return false;
    const Node* next = value->node()->next();
    while (next->kind() == ir::prim::Constant) next = next->next();
    return next->kind() == ir::prim::ListUnpack && value->uses()[0].user == next;
}

// They take no numbers that have a gradient.
bool is_on_bits(Symbol kind) {
    static const std::unordered_set<Symbol> kKinds{
        Symbol::intern("aten::bitwise_not"), Symbol::intern("aten::bitwise_and"), Symbol::intern("aten::bitwise_or"),
        Symbol::intern("aten::bitwise_xor")};
    return kKinds.contains(kind);
}

// Returns tensors and is differentiable: by a derivative, or as composed of operators with one.
bool is_differentiable(const Node* node) {
    if (node->kind() == ir::prim::ListUnpack) {
        const Value* list = node->input(0);
        return is_unpacked_at_once(list) && list->node()->op() != nullptr && is_differentiable(list->node());
    }
    const Operator* op = node->op();
    if (node->is("aten::dropout")) return true;
    if (op == nullptr || node->kind().space() != "aten" || !op->is_pure()) return false;
    const auto& outputs = node->outputs();
    const bool gives_tensors = std::all_of(outputs.begin(), outputs.end(), is_tensor) ||
                               (outputs.size() == 1 && is_unpacked_at_once(outputs[0]));
    if (!gives_tensors || op->tensor_arguments == 0) return false;
    if (is_on_bits(node->kind())) return true;
    // With running statistics it writes to them in pieces.
    if (node->is("aten::instance_norm") && !ir::is_none_constant(node->named_input("running_mean"))) return false;
    return op->is_composite() || op->record->derivative || op->record->is_gradient_stop;
}

}  // namespace

const Pass kCreateAutodiffSubgraphs{"CreateAutodiffSubgraphs",
                                    "Operators with a derivative become groups whose backward pass is a graph too.",
                                    [](Graph& graph, const PassContext& context) {
                                        Grouping grouping;
                                        grouping.module = context.module;
                                        grouping.kind = ir::prim::DifferentiableGraph;
                                        grouping.pass = "CreateAutodiffSubgraphs";
                                        grouping.is_member = is_differentiable;
                                        grouping.takes_scalar_tensors = true;
                                        grouping.is_connected = false;
                                        grouping.takes_random = true;
                                        form_groups(graph, graph.block(), grouping);
                                    }};

const Pass kInlineAutodiffSubgraphs{"InlineAutodiffSubgraphs",
                                    "Puts the operators of differentiable groups back into the graph.",
                                    [](Graph& graph, const PassContext&) {
                                        for_each_node(graph.block(), [](Node* node) {
                                            if (node->kind() == ir::prim::DifferentiableGraph) inline_group(node);
                                        });
                                    }};

}  // namespace loupe::passes
