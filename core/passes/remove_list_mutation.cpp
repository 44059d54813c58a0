// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "core/passes/graph_tools.h"
#include "core/passes/pass_list.h"

namespace loupe::passes {
namespace {

using ir::Block;
using ir::Node;
using ir::Value;
namespace prim = ir::prim;

// The list has no uses between its construction and this node.
bool is_first_use(const Value* list, const Node* node) {
    for (const ir::Use& use : list->uses()) {
        const Node* user = use.user;
        while (user != nullptr && user->block() != node->block()) user = user->owning_node();
        if (user == nullptr || (user != node && user->is_before(node))) return false;
    }
    return true;
}

// The index at which the node inserts; nullopt for other nodes or an unknown index.
std::optional<std::size_t> place_of(const Node* node, std::size_t size) {
    static const ir::Symbol kAppend = ir::Symbol::intern("aten::append");
    static const ir::Symbol kInsert = ir::Symbol::intern("aten::insert");
    if (node->kind() == kAppend && node->inputs().size() == 2) return size;
    if (node->kind() != kInsert || node->inputs().size() != 3) return std::nullopt;
    const auto index = constant_int(node->input(1));
    if (!index) return std::nullopt;
    const std::int64_t count = static_cast<std::int64_t>(size);
    const std::int64_t place = *index < 0 ? *index + count : *index;
    if (place < 0 || place > count) return std::nullopt;  // indices that Python clamps are skipped, as in PyTorch
    return static_cast<std::size_t>(place);
}

void visit(Block* block) {
    for (Node* node : block->nodes()) {
        for (std::size_t i = 0; i < node->block_count(); ++i) visit(node->block_at(i));
        if (node->inputs().empty()) continue;
        Value* list = node->input(0);
        Node* construct = list->node();
        if (construct->kind() != prim::ListConstruct || construct->block() != block) continue;
        const auto place = place_of(node, construct->inputs().size());
        if (!place) continue;
        Value* element = node->inputs().back();
        if (element == list || !is_first_use(list, node)) continue;
        construct->move_before(node);
        if (!node->outputs().empty()) node->output()->replace_all_uses_with(list);
        node->destroy();
        construct->insert_input(*place, element);
    }
}

}  // namespace

const Pass kRemoveListMutation{"RemoveListMutation",
                               "Makes lists with the elements that are appended or inserted right after.",
                               [](ir::Graph& graph, const PassContext&) { visit(graph.block()); }};

}  // namespace loupe::passes
