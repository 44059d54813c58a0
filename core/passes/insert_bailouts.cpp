// SPDX-License-Identifier: Apache-2.0
// When a guard fails, prim::BailOut runs the rest of the unspecialised graph, which prim::BailoutTemplate holds.
#include <algorithm>

#include "core/passes/bailout_graph.h"
#include "core/passes/graph_tools.h"
#include "core/passes/pass_list.h"

namespace loupe::passes {
namespace {

using ir::Graph;
using ir::Node;
using ir::Value;
namespace prim = ir::prim;

// Existing ones keep their indices and their template.
std::vector<Node*> replace_guards(Graph& graph) {
    std::vector<Node*> guards;
    std::int64_t next = 0;
    for_each_node(graph.block(), [&](Node* node) {
        if (node->kind() == prim::Guard) guards.push_back(node);
        if (node->kind() == bailout_kind()) next = std::max(next, node->i(bailout_index()) + 1);
    });
    std::vector<Node*> bailouts;
    for (Node* guard : guards) {
        const ir::OriginScope origin(graph, {guard}, "InsertBailOuts", "bail out");
        Node* bailout = graph.create(bailout_kind(), {guard->input()})->insert_before(guard);
        bailout->set_i(bailout_index(), next++);
        bailout->output()->copy_metadata(*guard->output());
        guard->output()->replace_all_uses_with(bailout->output());
        guard->destroy();
        bailouts.push_back(bailout);
    }
    return bailouts;
}

// Values that the rest reads, without the checked value, which is its first input.
void add_live_inputs(const std::vector<Node*>& bailouts) {
    std::vector<std::vector<Value*>> live;
    for (const Node* bailout : bailouts) live.push_back(live_after(bailout));
    for (std::size_t i = 0; i < bailouts.size(); ++i) {
        for (Value* value : live[i]) {
            if (value != bailouts[i]->output()) bailouts[i]->add_input(value);
        }
    }
}

void insert_bailouts(Graph& graph, const PassContext&) {
    const std::vector<Node*> bailouts = replace_guards(graph);
    if (bailouts.empty()) return;
    add_live_inputs(bailouts);
    const ir::OriginScope origin(graph, {bailouts.front()}, "InsertBailOuts", "template");
    const Ptr<Graph> before = graph.copy();
    Node* whole = graph.block()->prepend(graph.create(bailout_template_kind()));
    whole->set_attribute(ir::attr::Subgraph, before);
    whole->output()->set_type(types::integer());
    for (Node* bailout : bailouts) bailout->insert_input(0, whole->output());
}

}  // namespace

const Pass kInsertBailOuts{"InsertBailOuts", "Guards become places where the run goes on with the graph as it was.",
                           insert_bailouts};

}  // namespace loupe::passes
