// SPDX-License-Identifier: Apache-2.0
#include <unordered_set>
#include <utility>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/ir/graph.h"

namespace loupe::ir {
namespace {

class Linter {
  public:
    explicit Linter(const Graph& graph) : graph_(graph) {}

    void check_block(const Block& block) {
        require(block.graph() == &graph_, block.return_node(), "is in a block of another graph");
        check_outputs(*block.param_node());
        const Node* before = block.param_node();
        for (const Node* node : block.nodes()) {
            require(node->prev() == before, node, "is linked wrongly");
            require(node->block() == &block, node, "names another block");
            if (before != block.param_node()) require(before->is_before(node), node, "is out of order");
            check_node(*node);
            before = node;
        }
        check_inputs(*block.return_node());
        for (const Value* input : block.inputs()) scope_.erase(input);
        for (const Node* node : block.nodes()) {
            for (const Value* output : node->outputs()) scope_.erase(output);
        }
    }

  private:
    void check_node(const Node& node) {
        require(node.graph() == &graph_, &node, "is of another graph");
        check_inputs(node);
        for (std::size_t i = 0; i < node.block_count(); ++i) {
            require(node.block_at(i)->owning_node() == &node, &node, "has a block that names another owner");
            check_block(*node.block_at(i));
        }
        check_arity(node);
        check_outputs(node);
    }

    void check_inputs(const Node& node) {
        for (std::size_t i = 0; i < node.inputs().size(); ++i) {
            const Value* input = node.input(i);
            require(scope_.contains(input), &node, concat("uses %", input->debug_name(), " where it is not defined"));
            require(listed_.erase({&node, i}) == 1, &node, concat("is not among the uses of %", input->debug_name()));
        }
    }

    void check_outputs(const Node& node) {
        for (std::size_t i = 0; i < node.outputs().size(); ++i) {
            const Value* output = node.output(i);
            require(output->node() == &node && output->offset() == i, &node, "has an output that names another node");
            require(output->type() != nullptr, &node, "has an output without a type");
            require(ids_.insert(output->id()).second, &node,
                    concat("has an output whose number ", output->id(), " is taken"));
            for (const Use& use : output->uses()) {
                require(use.offset < use.user->inputs().size() && use.user->input(use.offset) == output, &node,
                        concat("lists a use of %", output->debug_name(), " that is none"));
                require(listed_.insert({use.user, use.offset}).second, &node,
                        concat("lists a use of %", output->debug_name(), " twice"));
            }
            scope_.insert(output);
        }
    }

    void check_arity(const Node& node) {
        if (node.kind() == prim::If) {
            require(node.inputs().size() == 1 && node.block_count() == 2, &node, "must have one input and two blocks");
            for (const std::size_t i : {0U, 1U}) {
                require(node.block_at(i)->inputs().empty(), &node, "has a block with parameters");
                require(node.block_at(i)->outputs().size() == node.outputs().size(), &node,
                        "has a block with another number of results");
            }
        } else if (node.kind() == prim::Loop) {
            require(node.inputs().size() >= 2 && node.block_count() == 1, &node, "must have two inputs and one block");
            const std::size_t carried = node.inputs().size() - 2;
            require(node.outputs().size() == carried && node.block_at(0)->inputs().size() == carried + 1 &&
                        node.block_at(0)->outputs().size() == carried + 1,
                    &node, "has carried values that do not match");
        } else if (node.kind() == prim::Constant) {
            require(node.inputs().empty() && node.outputs().size() == 1, &node, "must have one output and no input");
        }
    }

    static void require(bool condition, const Node* node, std::string_view what) {
        if (condition) return;
        throw Error(ErrorKind::Internal, concat("graph: ", node->kind().str(), " (node ", node->id(), ") ", what));
    }

    struct PlaceHash {
        std::size_t operator()(const std::pair<const Node*, std::size_t>& place) const {
            return std::hash<const Node*>()(place.first) * 31 + place.second;
        }
    };

    const Graph& graph_;
    std::unordered_set<const Value*> scope_;
    // Inputs that uses of a value name and that are not read yet: a weight that many nodes read is not searched for
    // each.
    std::unordered_set<std::pair<const Node*, std::size_t>, PlaceHash> listed_;
    std::unordered_set<std::size_t> ids_;
};

}  // namespace

void Graph::lint() const { Linter(*this).check_block(*block_); }

}  // namespace loupe::ir
