// SPDX-License-Identifier: Apache-2.0
#include <unordered_map>

#include "core/passes/graph_tools.h"
#include "core/passes/pass_list.h"

namespace loupe::passes {
namespace {

using ir::Graph;
using ir::Node;
using ir::Symbol;
using ir::Value;
namespace prim = ir::prim;

// Runs forked calls at the fork, as our interpreter does; wait returns the result. Forks whose future has other uses
// stay.
bool is_only_waited_for(const Value* future) {
    static const Symbol kWait = Symbol::intern("aten::wait");
    for (const ir::Use& use : future->uses()) {
        if (use.user->kind() != kWait) return false;
    }
    return true;
}

Value* result_in_place(Graph& graph, Node* fork) {
    const ir::OriginScope origin(graph, {fork}, "InlineForkWait", "fork");
    const Ptr<Graph> subgraph = fork->g(ir::attr::Subgraph);
    ir::ValueMap map;
    for (std::size_t i = 0; i < fork->inputs().size(); ++i) map[subgraph->inputs()[i]] = fork->input(i);
    const auto mapped = [&map](Value* value) {
        const auto found = map.find(value);
        return found == map.end() ? value : found->second;
    };
    for (const Node* inner : subgraph->nodes()) {
        Node* copied = graph.create_copy(*inner, mapped, false)->insert_before(fork);
        for (std::size_t i = 0; i < inner->outputs().size(); ++i) map[inner->output(i)] = copied->output(i);
        for (std::size_t i = 0; i < inner->block_count(); ++i) copied->add_block()->copy_from(*inner->block_at(i), map);
    }
    std::vector<Value*> results;
    for (Value* output : subgraph->outputs()) results.push_back(mapped(output));
    if (results.size() == 1) return results[0];
    Node* tuple = graph.create(prim::TupleConstruct, results)->insert_before(fork);
    tuple->output()->set_type(fork->output()->type()->element());
    return tuple->output();
}

bool can_inline(const Node* node) {
    return node->kind() == prim::fork && node->has_attribute(ir::attr::Subgraph) && node->outputs().size() == 1 &&
           is_only_waited_for(node->output());
}

void inline_fork(Graph& graph, Node* fork) {
    Value* result = result_in_place(graph, fork);
    const std::vector<ir::Use> uses = fork->output()->uses();
    for (const ir::Use& use : uses) {
        use.user->output()->replace_all_uses_with(result);
        use.user->destroy();
    }
    fork->destroy();
}

}  // namespace

const Pass kInlineForkWait{"InlineForkWait", "What is forked and waited for is computed where it is forked.",
                           [](Graph& graph, const PassContext&) {
                               // Forked calls may fork.
                               std::vector<Node*> forks;
                               do {
                                   for (Node* fork : forks) inline_fork(graph, fork);
                                   forks.clear();
                                   for_each_node(graph.block(), [&forks](Node* node) {
                                       if (can_inline(node)) forks.push_back(node);
                                   });
                               } while (!forks.empty());
                           }};

}  // namespace loupe::passes
