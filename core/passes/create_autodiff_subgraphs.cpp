// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/passes/graph_tools.h"
#include "core/passes/pass_list.h"
#include "core/passes/subgraph_tools.h"

namespace loupe::passes {
namespace {

using ir::Graph;
using ir::Node;
using ir::Symbol;
using ir::Value;

// Tensors out, and a derivative to be had: its own, or those of the operators that it is made of.
bool is_differentiable(const Node* node) {
    const Operator* op = node->op();
    if (op == nullptr || node->kind().space() != "aten" || !op->is_pure()) return false;
    const bool gives_tensors = std::all_of(node->outputs().begin(), node->outputs().end(),
                                           [](const Value* value) { return value->type()->kind() == TypeKind::Tensor; });
    if (!gives_tensors || op->tensor_arguments == 0) return false;
    // Layers that keep statistics write to them in training.
    const Value* training = node->named_input("training");
    if (training != nullptr && constant_bool(training).value_or(true)) return false;
    return op->is_composite() || op->record->derivative || op->record->is_gradient_stop;
}

}  // namespace

const Pass kCreateAutodiffSubgraphs{
    "CreateAutodiffSubgraphs", "Operators with a derivative become groups whose backward pass is a graph too.",
    [](Graph& graph, const PassContext&) {
        Grouping grouping;
        grouping.kind = ir::prim::DifferentiableGraph;
        grouping.pass = "CreateAutodiffSubgraphs";
        grouping.is_member = is_differentiable;
        grouping.is_connected = false;
        form_groups(graph, graph.block(), grouping);
    }};

const Pass kInlineAutodiffSubgraphs{"InlineAutodiffSubgraphs", "Puts the operators of differentiable groups back into the graph.",
                                    [](Graph& graph, const PassContext&) {
                                        for_each_node(graph.block(), [](Node* node) {
                                            if (node->kind() == ir::prim::DifferentiableGraph) inline_group(node);
                                        });
                                    }};

}  // namespace loupe::passes
