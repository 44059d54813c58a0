// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "core/passes/alias_analysis.h"
#include "core/passes/graph_tools.h"
#include "core/passes/pass_list.h"

namespace loupe::passes {
namespace {

using ir::Block;
using ir::Node;
using ir::Value;

bool is_none_or(const Value* value, std::int64_t number) {
    return ir::is_none_constant(value) || constant_int(value) == number;
}

// x[:] along a dimension.
bool is_whole_slice(const Node* node) {
    return node->is("aten::slice.Tensor") && is_none_or(node->input(2), 0) &&
           is_none_or(node->input(3), std::numeric_limits<std::int64_t>::max()) && constant_int(node->input(4)) == 1;
}

void visit(Block* block, const AliasAnalysis& aliases) {
    for (Node* node : block->nodes()) {
        for (std::size_t i = 0; i < node->block_count(); ++i) visit(node->block_at(i), aliases);
        if (!is_whole_slice(node) || aliases.has_writers(node)) continue;
        if (aliases.escapes(node->output())) continue;
        node->output()->replace_all_uses_with(node->input(0));
    }
}

}  // namespace

const Pass kEliminateNoOps{"EliminateNoOps", "Removes slices that take everything.",
                           [](ir::Graph& graph, const PassContext&) {
                               visit(graph.block(), AliasAnalysis(graph));
                               remove_dead_code(graph);
                           }};

}  // namespace loupe::passes
