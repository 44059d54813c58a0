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
using Seen = std::unordered_set<Node*, Hash, Equal>;

// Available nodes in a block and its outer blocks.
struct Level {
    const Level* outer;
    Seen seen = {};

    Node* find(Node* node) const {
        for (const Level* level = this; level != nullptr; level = level->outer) {
            if (const auto found = level->seen.find(node); found != level->seen.end()) return *found;
        }
        return nullptr;
    }
};

void merge_block(Block* block, const Level* outer, const AliasAnalysis& aliases) {
    Level level{outer};
    for (Node* node : block->nodes()) {
        for (std::size_t i = 0; i < node->block_count(); ++i) merge_block(node->block_at(i), &level, aliases);
        if (node->block_count() > 0 || node->outputs().empty()) continue;
        if (node->has_side_effects() || node->is_random() || aliases.has_writers(node)) continue;
        if (node->kind() == ir::prim::CreateObject || node->kind() == ir::prim::fork) continue;
        Node* earlier = level.find(node);
        if (earlier == nullptr) {
            level.seen.insert(node);
        } else if (node->kind() == ir::prim::GetAttr ||
                   aliases.may_merge(node, earlier)) {  // an attribute is one value
            node->replace_all_uses_with(earlier);
            node->destroy();
        }
    }
}

void run(ir::Graph& graph, const PassContext&) {
    const AliasAnalysis aliases(graph);
    merge_block(graph.block(), nullptr, aliases);
}

}  // namespace

const Pass kCommonSubexpressionElimination{"CSE", "Computes equal subexpressions once.", run};

}  // namespace loupe::passes
