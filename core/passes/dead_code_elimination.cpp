// SPDX-License-Identifier: Apache-2.0
#include <unordered_set>

#include "core/passes/alias_analysis.h"
#include "core/passes/graph_tools.h"
#include "core/passes/pass_list.h"

namespace loupe::passes {
namespace {

using ir::Block;
using ir::Node;
using ir::Value;
namespace prim = ir::prim;

class DeadCodeElimination {
  public:
    explicit DeadCodeElimination(ir::Graph& graph) : aliases_(graph) {
        do changed_ = false, mark(graph.block());
        while (changed_);
        sweep(graph.block());
    }
    bool removed() const { return removed_; }

  private:
    void make_live(const Node* node) {
        if (!live_nodes_.insert(node).second) return;
        changed_ = true;
        for (const Value* input : node->inputs()) make_live(input);
        // Values on which running the node depends.
        if (const Node* owner = node->owning_node()) make_live(owner);
    }

    void make_live(const Value* value) {
        if (live_values_.insert(value).second) changed_ = true;
    }

    void mark(const Block* block) {
        mark_results(block);
        std::vector<const Node*> nodes;
        for (const Node* node : block->nodes()) nodes.push_back(node);
        for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
            for (std::size_t i = 0; i < (*node)->block_count(); ++i) mark((*node)->block_at(i));
            if (is_live(*node)) make_live(*node);
        }
    }

    // Which results of a block are used.
    void mark_results(const Block* block) {
        const Node* owner = block->owning_node();
        if (owner == nullptr) {
            make_live(block->return_node());
            return;
        }
        const bool is_loop = owner->kind() == prim::Loop;
        if (is_loop) make_live(block->outputs()[0]);
        for (std::size_t i = 0; i < owner->outputs().size(); ++i) {
            const std::size_t inner = is_loop ? i + 1 : i;
            const bool is_read = is_loop && live_values_.contains(block->inputs()[inner]);
            if (is_read || live_values_.contains(owner->output(i))) make_live(block->outputs()[inner]);
        }
    }

    bool is_live(const Node* node) const {
        if (live_nodes_.contains(node)) return true;
        for (const Value* output : node->outputs()) {
            if (live_values_.contains(output)) return true;
        }
        if (has_effects(node)) return true;
        return aliases_.writes_to_outside(node) || aliases_.writes_to_alias(node, live_values_);
    }

    // Writes are live when their memory is read.
    static bool has_effects(const Node* node) {
        if (node->op() != nullptr && node->op()->schema.has_write()) return false;
        return node->block_count() == 0 && node->has_side_effects();
    }

    void sweep(Block* block) {
        std::vector<Node*> nodes;
        for (Node* node : block->nodes()) nodes.push_back(node);
        for (auto place = nodes.rbegin(); place != nodes.rend(); ++place) {
            Node* node = *place;
            if (!live_nodes_.contains(node) && !node->has_uses()) {
                node->destroy();
                removed_ = true;
                continue;
            }
            if (node->kind() == prim::If) remove_unused_outputs(node);
            if (node->kind() == prim::Loop) remove_unused_carried(node);
            for (std::size_t i = 0; i < node->block_count(); ++i) sweep(node->block_at(i));
        }
    }

    void remove_unused_outputs(Node* node) {
        for (std::size_t i = node->outputs().size(); i-- > 0;) {
            if (node->output(i)->has_uses()) continue;
            removed_ = true;
            node->erase_output(i);
            for (std::size_t b = 0; b < node->block_count(); ++b) node->block_at(b)->erase_output(i);
        }
    }

    // Carried values that are read neither in the body nor after the loop.
    void remove_unused_carried(Node* node) {
        Block* body = node->block_at(0);
        for (std::size_t i = node->outputs().size(); i-- > 0;) {
            if (node->output(i)->has_uses() || body->inputs()[i + 1]->has_uses()) continue;
            removed_ = true;
            node->erase_output(i);
            node->remove_input(i + 2);
            body->erase_output(i + 1);
            body->erase_input(i + 1);
        }
    }

    AliasAnalysis aliases_;
    std::unordered_set<const Node*> live_nodes_;
    std::unordered_set<const Value*> live_values_;
    bool changed_ = false;
    bool removed_ = false;
};

}  // namespace

// Until a fixed point: removed nodes no longer alias, so more writes may be dead.
bool remove_dead_code(ir::Graph& graph) {
    bool found = false;
    while (DeadCodeElimination(graph).removed()) found = true;
    return found;
}

const Pass kDeadCodeElimination{"DCE", "Removes nodes whose outputs are unused and that have no effects.",
                                [](ir::Graph& graph, const PassContext&) { remove_dead_code(graph); }};

}  // namespace loupe::passes
