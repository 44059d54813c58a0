// SPDX-License-Identifier: Apache-2.0
// Many small matrix products become few large ones.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "core/passes/alias_analysis.h"
#include "core/passes/graph_tools.h"
#include "core/passes/pass_list.h"

namespace loupe::passes {
namespace {

using ir::Block;
using ir::Graph;
using ir::Node;
using ir::Symbol;
using ir::Value;

// PyTorch's numbers.
constexpr std::size_t kFewestInSum = 4;
constexpr std::size_t kFewestOnSide = 8;

bool is_sum(const Node* node) { return node->is("aten::add.Tensor") && constant_number(node->input(2)) == 1.0; }

class Batching {
  public:
    explicit Batching(Graph& graph) : graph_(graph), aliases_(graph) {}

    void visit(Block* block) {
        for (Node* node : block->nodes()) {
            for (std::size_t i = 0; i < node->block_count(); ++i) visit(node->block_at(i));
        }
        reduce_trees(block);
        for (const std::size_t side : {0U, 1U}) batch_side(block, side);
    }

  private:
    bool is_product(const Node* node) const { return node->is("aten::mm") && !aliases_.has_writers(node); }

    // The products that a sum adds, each without other uses; empty when it has other terms.
    bool gather(const Node* node, const Block* block, std::vector<Node*>& products) const {
        if (node->block() != block) return false;
        if (is_product(node)) {
            products.push_back(const_cast<Node*>(node));
            return true;
        }
        if (!is_sum(node) || aliases_.has_writers(node)) return false;
        // From the last to the first, as PyTorch lists them.
        return std::all_of(node->inputs().rend() - 2, node->inputs().rend(), [&](const Value* part) {
            return part->uses().size() == 1 && gather(part->node(), block, products);
        });
    }

    // (a b + c d) + e f ... is [a c e ...] [b d f ...]^T.
    void reduce_trees(Block* block) {
        std::vector<Node*> nodes;
        for (Node* node : block->nodes()) {
            if (is_sum(node)) nodes.push_back(node);
        }
        std::unordered_set<const Node*> gone;
        for (auto place = nodes.rbegin(); place != nodes.rend(); ++place) {
            std::vector<Node*> products;
            if (gone.contains(*place) || !gather(*place, block, products) || products.size() < kFewestInSum) continue;
            mark_sums(*place, gone);
            replace_tree(*place, products);
        }
    }

    static void mark_sums(const Node* node, std::unordered_set<const Node*>& gone) {
        if (!is_sum(node)) return;
        gone.insert(node);
        for (const std::size_t i : {0U, 1U}) mark_sums(node->input(i)->node(), gone);
    }

    void replace_tree(Node* sum, const std::vector<Node*>& products) {
        const ir::OriginScope origin(graph_, {sum, products.front()}, "BatchMM", "sum of products");
        Node* batched = graph_.create(Symbol::intern("prim::MMTreeReduce"))->insert_before(sum);
        for (const Node* product : products) batched->add_input(product->input(0));
        for (const Node* product : products) batched->add_input(product->input(1));
        batched->output()->set_type(sum->output()->type());
        sum->output()->replace_all_uses_with(batched->output());
    }

    // Products with one operand in common.
    void batch_side(Block* block, std::size_t side) {
        std::vector<const Value*> order;
        std::unordered_map<const Value*, std::vector<Node*>> by_operand;
        for (Node* node : block->nodes()) {
            if (!is_product(node) || !node->has_uses()) continue;
            auto& group = by_operand[node->input(side)];
            if (group.empty()) order.push_back(node->input(side));
            // All operands must be defined before the first product.
            const Value* other = node->input(1 - side);
            if (group.empty() || other->node()->block() != block || other->node()->is_before(group.front()))
                group.push_back(node);
        }
        for (const Value* operand : order) {
            if (by_operand[operand].size() >= kFewestOnSide) replace_side(by_operand[operand], side);
        }
    }

    void replace_side(const std::vector<Node*>& products, std::size_t side) {
        const ir::OriginScope origin(graph_, {products.front()}, "BatchMM", "common operand");
        Node* batched =
            graph_.create(Symbol::intern("prim::MMBatchSide"), products.size())->insert_before(products.front());
        batched->set_i(Symbol::intern("side"), static_cast<std::int64_t>(side));
        batched->add_input(products.front()->input(side));
        for (std::size_t i = 0; i < products.size(); ++i) {
            batched->add_input(products[i]->input(1 - side));
            batched->output(i)->set_type(products[i]->output()->type());
            products[i]->output()->replace_all_uses_with(batched->output(i));
        }
    }

    Graph& graph_;
    AliasAnalysis aliases_;
};

void run(Graph& graph, const PassContext&) {
    Batching(graph).visit(graph.block());
    remove_dead_code(graph);
}

}  // namespace

const Pass kBatchMM{"BatchMM", "Sums of matrix products, and products with one operand in common, become one product.",
                    run};

}  // namespace loupe::passes
