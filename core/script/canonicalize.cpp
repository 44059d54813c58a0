// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <vector>

#include "core/script/convert_to_ssa.h"

namespace loupe::script {
namespace {

// In the order of execution; null for a value that nothing uses.
const ir::Use* first_use(const ir::Value* value) {
    const ir::Use* first = nullptr;
    for (const ir::Use& use : value->uses()) {
        const bool is_earlier = first == nullptr || use.user->is_before(first->user) ||
                                (use.user == first->user && use.offset < first->offset);
        if (is_earlier) first = &use;
    }
    return first;
}

// The outputs of an If or Loop by their first use, those without one last.
std::vector<std::size_t> order_of(const ir::Node* node) {
    std::vector<const ir::Use*> uses;
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < node->outputs().size(); ++i) {
        uses.push_back(first_use(node->output(i)));
        order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        if (uses[a] == nullptr || uses[b] == nullptr) return uses[a] != nullptr;
        if (uses[a]->user == uses[b]->user) return uses[a]->offset < uses[b]->offset;
        return uses[a]->user->is_before(uses[b]->user);
    });
    return order;
}

void take_metadata(ir::Value* to, ir::Value* from) {
    const std::string name = from->has_name() ? from->debug_name() : std::string();
    from->set_name("");
    to->set_type(from->type())->set_name(name);
}

// Replaces the outputs by new ones in the given order; carried values of a loop likewise.
void reorder_outputs(ir::Node* node) {
    const std::vector<std::size_t> order = order_of(node);
    if (std::is_sorted(order.begin(), order.end())) return;
    const std::size_t extra = node->kind() == ir::prim::Loop ? 1 : 0;
    for (const std::size_t i : order) {
        ir::Value* moved = node->add_output();
        take_metadata(moved, node->output(i));
        node->output(i)->replace_all_uses_with(moved);
        for (std::size_t b = 0; b < node->block_count(); ++b) {
            ir::Block* block = node->block_at(b);
            block->add_output(block->outputs()[i + extra]);
            if (extra == 0) continue;
            ir::Value* carried = block->add_input();
            take_metadata(carried, block->inputs()[i + 1]);
            block->inputs()[i + 1]->replace_all_uses_with(carried);
        }
        if (extra == 1) node->add_input(node->input(i + 2));
    }
    for (std::size_t i = 0; i < order.size(); ++i) {
        for (std::size_t b = 0; b < node->block_count(); ++b) {
            node->block_at(b)->erase_output(extra);
            if (extra == 1) node->block_at(b)->erase_input(1);
        }
        if (extra == 1) node->remove_input(2);
        node->erase_output(0);
    }
}

// From the last node to the first: what uses an output comes after it.
void order_block(const ir::Block* block) {
    for (ir::Node* node = block->return_node()->prev(); node != block->param_node(); node = node->prev()) {
        if (node->kind() == ir::prim::If || node->kind() == ir::prim::Loop) reorder_outputs(node);
        for (std::size_t i = 0; i < node->block_count(); ++i) order_block(node->block_at(i));
    }
}

void number_block(const ir::Block* block) {
    static const ir::Symbol kWarn = ir::Symbol::intern("aten::warn");
    static std::atomic<std::int64_t> next = 0;
    for (ir::Node* node : block->nodes()) {
        if (node->kind() == kWarn && !node->has_attribute(ir::attr::warn_id)) node->set_i(ir::attr::warn_id, next++);
        for (std::size_t i = 0; i < node->block_count(); ++i) number_block(node->block_at(i));
    }
}

}  // namespace

void canonicalize_outputs(ir::Graph& graph) { order_block(graph.block()); }

void number_warnings(ir::Graph& graph) { number_block(graph.block()); }

}  // namespace loupe::script
