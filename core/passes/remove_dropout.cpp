// SPDX-License-Identifier: Apache-2.0
#include "core/passes/graph_tools.h"
#include "core/passes/pass_list.h"

namespace loupe::passes {
namespace {

// An operator that gives its first input back while an argument is False.
bool is_identity(const ir::Node& node) {
    const Operator* op = node.op();
    if (op == nullptr || op->record->identity_without.empty() || node.outputs().size() != 1) return false;
    const ir::Value* condition = node.named_input(op->record->identity_without);
    return condition != nullptr && !constant_bool(condition).value_or(true);
}

void visit(ir::Block* block) {
    for (ir::Node* node : block->nodes()) {
        for (std::size_t i = 0; i < node->block_count(); ++i) visit(node->block_at(i));
        if (!is_identity(*node)) continue;
        node->output()->replace_all_uses_with(node->input(0));
        node->destroy();
    }
}

}  // namespace

const Pass kRemoveDropout{"removeDropout", "Removes dropout that is not training: it gives its input back.",
                          [](ir::Graph& graph, const PassContext&) { visit(graph.block()); }};

}  // namespace loupe::passes
