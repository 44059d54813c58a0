// SPDX-License-Identifier: Apache-2.0
#include <unordered_set>

#include "core/passes/alias_analysis.h"
#include "core/passes/graph_tools.h"
#include "core/passes/pass_list.h"

namespace loupe::passes {
namespace {

using ir::Block;
using ir::Node;

struct Hash {
    std::size_t operator()(const Node* node) const { return computation_hash(node); }
};
struct Equal {
    bool operator()(const Node* a, const Node* b) const { return same_computation(a, b); }
};
using Constants = std::unordered_set<Node*, Hash, Equal>;

// At the start of the graph, preceded by constants only.
bool is_among_first(const Node* node) {
    if (node->owning_node() != nullptr) return false;
    const Node* before = node->prev();
    while (before->kind() == ir::prim::Constant) before = before->prev();
    return before == node->block()->param_node();
}

void pool(Block* block, Constants& constants, const AliasAnalysis& aliases) {
    for (Node* node : block->nodes()) {
        for (std::size_t i = 0; i < node->block_count(); ++i) pool(node->block_at(i), constants, aliases);
        if (node->kind() != ir::prim::Constant) continue;
        const auto [place, is_new] = constants.insert(node);
        if (is_new) {
            if (!is_among_first(node)) node->move_before(*node->graph()->nodes().begin());
            continue;
        }
        // The caller may change results of the graph: they are not merged.
        const bool both_leave = aliases.escapes(node->output()) && aliases.escapes((*place)->output());
        if (both_leave || aliases.has_writers(node)) continue;
        node->replace_all_uses_with(*place);
        node->destroy();
    }
}

void run(ir::Graph& graph, const PassContext&) {
    const AliasAnalysis aliases(graph);
    Constants constants;
    pool(graph.block(), constants, aliases);
}

}  // namespace

const Pass kConstantPooling{"ConstantPooling", "Moves constants to the start of the graph and keeps one of equal ones.",
                            run};

}  // namespace loupe::passes
