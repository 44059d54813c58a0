// SPDX-License-Identifier: Apache-2.0
#include "core/passes/graph_tools.h"
#include "core/passes/pass_list.h"

namespace loupe::passes {
namespace {

using ir::Node;
using ir::Symbol;
using ir::Value;

// addmm with factors of 1 is a product and a sum, which batching of products and fusion can take.
void decompose(ir::Graph& graph, Node* node) {
    if (constant_number(node->input(3)) != 1.0 || constant_number(node->input(4)) != 1.0) return;
    const ir::OriginScope origin(graph, {node}, "DecomposeOps", "addmm");
    const ir::InsertPointScope place(graph, node);
    Value* one = graph.insert_constant(IValue(1));
    Value* product = graph.insert_op(Symbol::intern("aten::mm"), {node->input(1), node->input(2)});
    Value* sum = graph.insert_op(Symbol::intern("aten::add"), {node->input(0), product, one});
    sum->set_type(node->output()->type());
    node->output()->replace_all_uses_with(sum);
    node->destroy();
}

}  // namespace

const Pass kDecomposeOps{"DecomposeOps", "Writes addmm without factors as a product and a sum.",
                         [](ir::Graph& graph, const PassContext&) {
                             for_each_node(graph.block(), [&graph](Node* node) {
                                 if (node->is("aten::addmm")) decompose(graph, node);
                             });
                         }};

}  // namespace loupe::passes
