// SPDX-License-Identifier: Apache-2.0
#include "core/passes/graph_tools.h"
#include "core/passes/pass_list.h"

namespace loupe::passes {
namespace {

using ir::Block;
using ir::Node;
namespace prim = ir::prim;

// Takes the elements from where the tuple was made.
void lower(Node* node) {
    static const ir::Symbol kBegin = ir::Symbol::intern("beg");
    static const ir::Symbol kEnd = ir::Symbol::intern("end");
    const bool takes_apart =
        node->kind() == prim::TupleUnpack || node->kind() == prim::TupleIndex || node->kind() == prim::TupleSlice;
    if (!takes_apart || node->input(0)->node()->kind() != prim::TupleConstruct) return;
    Node* construct = node->input(0)->node();
    if (node->kind() == prim::TupleUnpack) {
        for (std::size_t i = 0; i < node->outputs().size(); ++i) {
            node->output(i)->replace_all_uses_with(construct->input(i));
        }
    } else if (node->kind() == prim::TupleIndex) {
        const auto index = constant_int(node->input(1));
        if (!index) return;
        const auto size = static_cast<std::int64_t>(construct->inputs().size());
        const std::int64_t place = *index < 0 ? *index + size : *index;
        if (place < 0 || place >= size) return;
        node->output()->replace_all_uses_with(construct->input(static_cast<std::size_t>(place)));
    } else {
        const auto begin = static_cast<std::size_t>(node->i(kBegin));
        const auto end = static_cast<std::size_t>(node->i(kEnd));
        const ir::OriginScope origin(*node->graph(), {node, construct}, "LowerSimpleTuples", "slice");
        Node* slice = node->graph()->create(prim::TupleConstruct);
        for (std::size_t i = begin; i < end && i < construct->inputs().size(); ++i)
            slice->add_input(construct->input(i));
        slice->insert_before(node)->output()->set_type(node->output()->type());
        node->output()->replace_all_uses_with(slice->output());
    }
}

void lower_block(Block* block) {
    for (Node* node : block->nodes()) {
        lower(node);
        for (std::size_t i = 0; i < node->block_count(); ++i) lower_block(node->block_at(i));
    }
}

void run(ir::Graph& graph, const PassContext&) {
    lower_block(graph.block());
    remove_dead_code(graph);
}

}  // namespace

const Pass kLowerSimpleTuples{"LowerSimpleTuples", "Takes elements of tuples from where the tuple was made.", run};

}  // namespace loupe::passes
