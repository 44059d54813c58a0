// SPDX-License-Identifier: Apache-2.0
#include "core/passes/graph_tools.h"
#include "core/passes/pass_list.h"

namespace loupe::passes {
namespace {

using ir::Block;
using ir::Node;
using ir::Value;
namespace prim = ir::prim;

// Nobody sees the list between its making and this node.
bool is_first_use(const Value* list, const Node* node) {
    for (const ir::Use& use : list->uses()) {
        const Node* user = use.user;
        while (user != nullptr && user->block() != node->block()) user = user->owning_node();
        if (user == nullptr || (user != node && user->is_before(node))) return false;
    }
    return true;
}

void visit(Block* block) {
    static const ir::Symbol kAppend = ir::Symbol::intern("aten::append");
    for (Node* node : block->nodes()) {
        for (std::size_t i = 0; i < node->block_count(); ++i) visit(node->block_at(i));
        if (node->kind() != kAppend || node->inputs().size() != 2) continue;
        Value* list = node->input(0);
        Node* construct = list->node();
        if (construct->kind() != prim::ListConstruct || construct->block() != block) continue;
        if (node->input(1) == list || !is_first_use(list, node)) continue;
        Value* element = node->input(1);
        construct->move_before(node);
        if (!node->outputs().empty()) node->output()->replace_all_uses_with(list);
        node->destroy();
        construct->add_input(element);
    }
}

}  // namespace

const Pass kRemoveListMutation{"RemoveListMutation", "Makes lists with the elements that are appended right after.",
                               [](ir::Graph& graph, const PassContext&) { visit(graph.block()); }};

}  // namespace loupe::passes
