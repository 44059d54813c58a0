// SPDX-License-Identifier: Apache-2.0
#include "core/passes/graph_tools.h"
#include "core/passes/pass_list.h"

namespace loupe::passes {
namespace {

using ir::Block;
using ir::Graph;
using ir::Node;
using ir::Symbol;

// grads = GradOf(dy...) { body }  becomes  if AutogradAnyNonZero(dy...): body, else: AutogradZero.
void lower(Graph& graph, Node* node) {
    const ir::OriginScope origin(graph, {node}, "LowerGradOf", "lower");
    Node* any = graph.create(Symbol::intern("prim::AutogradAnyNonZero"), node->inputs())->insert_before(node);
    any->output()->set_type(types::boolean());
    Node* branch = graph.create(ir::prim::If, {any->output()}, node->outputs().size())->insert_before(node);
    ir::ValueMap map;
    branch->add_block()->copy_from(*node->block_at(0), map);
    Block* otherwise = branch->add_block();
    Node* zero = otherwise->append(graph.create(Symbol::intern("prim::AutogradZero")));
    zero->output()->set_type(types::tensor());
    for (std::size_t i = 0; i < node->outputs().size(); ++i) {
        otherwise->add_output(zero->output());
        branch->output(i)->copy_metadata(*node->output(i));
    }
    node->replace_all_uses_with(branch);
    node->destroy();
}

void run(Graph& graph, const PassContext&) {
    static const Symbol kGradOf = Symbol::intern("prim::GradOf");
    for_each_node(graph.block(), [&graph](Node* node) {
        if (node->kind() == kGradOf) lower(graph, node);
    });
}

}  // namespace

const Pass kLowerGradOf{"LowerGradOf", "Writes out that gradients of nothing are nothing, as a branch.", run};

}  // namespace loupe::passes
