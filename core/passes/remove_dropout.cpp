// SPDX-License-Identifier: Apache-2.0
#include <unordered_set>

#include "core/passes/graph_tools.h"
#include "core/passes/pass_list.h"

namespace loupe::passes {
namespace {

using ir::Symbol;

bool is_dropout(Symbol kind) {
    static const std::unordered_set<Symbol> kKinds = {
        Symbol::intern("aten::dropout"),         Symbol::intern("aten::dropout_"),
        Symbol::intern("aten::feature_dropout"), Symbol::intern("aten::feature_dropout_"),
        Symbol::intern("aten::alpha_dropout"),   Symbol::intern("aten::feature_alpha_dropout")};
    return kKinds.contains(kind);
}

void visit(ir::Block* block) {
    for (ir::Node* node : block->nodes()) {
        for (std::size_t i = 0; i < node->block_count(); ++i) visit(node->block_at(i));
        if (!is_dropout(node->kind()) || node->inputs().size() != 3) continue;
        if (constant_bool(node->input(2)).value_or(true)) continue;
        node->output()->replace_all_uses_with(node->input(0));
        node->destroy();
    }
}

}  // namespace

const Pass kRemoveDropout{"removeDropout", "Removes dropout that is not training: it gives its input back.",
                          [](ir::Graph& graph, const PassContext&) { visit(graph.block()); }};

}  // namespace loupe::passes
