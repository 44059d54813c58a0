// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/ir/graph.h"

namespace loupe::ir {
namespace {

// Numbers of nodes are dense: what is known of their inputs and outputs stands in vectors, which a graph of 100,000
// nodes fills in a tenth of the time of hash tables.
class Linter {
  public:
    explicit Linter(const Graph& graph) : graph_(graph), places_(graph.next_node_id()) {
        place(*graph.block());
        listed_.resize(inputs_);
        states_.resize(ids_.size());
        std::ranges::sort(ids_);
        const auto taken = std::ranges::adjacent_find(ids_);
        if (taken != ids_.end())
            fail(*graph.return_node(), concat("ends a graph where two values have the number ", *taken));
    }

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
        for (const Value* input : block.inputs()) state_of(*input) = State::Left;
        for (const Node* node : block.nodes()) {
            for (const Value* output : node->outputs()) state_of(*output) = State::Left;
        }
    }

  private:
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
    enum class State : std::uint8_t { NotYet, InScope, Left };

    // Where the inputs and outputs of a node stand among all of the graph.
    struct Place {
        std::size_t input = kNone;
        std::size_t output = kNone;
    };

    void place(const Block& block) {
        place(*block.param_node());
        for (const Node* node : block.nodes()) {
            place(*node);
            for (std::size_t i = 0; i < node->block_count(); ++i) place(*node->block_at(i));
        }
        place(*block.return_node());
    }
    void place(const Node& node) {
        if (node.id() >= places_.size() || places_[node.id()].input != kNone) fail(node, "has a number that is taken");
        places_[node.id()] = {inputs_, ids_.size()};
        inputs_ += node.inputs().size();
        for (const Value* output : node.outputs()) ids_.push_back(output->id());
    }

    // Null for a node that is in no block, or in another graph.
    const Place* place_of(const Node& node) const {
        if (node.graph() != &graph_ || node.block() == nullptr) return nullptr;
        return &places_[node.id()];
    }

    // Of a value whose node is in the graph.
    State& state_of(const Value& value) { return states_[places_[value.node()->id()].output + value.offset()]; }

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
        const std::size_t first = places_[node.id()].input;
        for (std::size_t i = 0; i < node.inputs().size(); ++i) {
            const Value* input = node.input(i);
            if (place_of(*input->node()) == nullptr || state_of(*input) != State::InScope)
                fail(node, concat("uses %", input->debug_name(), " where it is not defined"));
            if (!listed_[first + i]) fail(node, concat("is not among the uses of %", input->debug_name()));
        }
    }

    void check_outputs(const Node& node) {
        for (std::size_t i = 0; i < node.outputs().size(); ++i) {
            const Value* output = node.output(i);
            require(output->node() == &node && output->offset() == i, &node, "has an output that names another node");
            require(output->type() != nullptr, &node, "has an output without a type");
            for (const Use& use : output->uses()) {
                if (use.offset >= use.user->inputs().size() || use.user->input(use.offset) != output)
                    fail(node, concat("lists a use of %", output->debug_name(), " that is none"));
                const Place* user = place_of(*use.user);
                if (user == nullptr) continue;  // not inserted yet
                if (listed_[user->input + use.offset])
                    fail(node, concat("lists a use of %", output->debug_name(), " twice"));
                listed_[user->input + use.offset] = true;
            }
            state_of(*output) = State::InScope;
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
        if (!condition) fail(*node, what);
    }
    [[noreturn]] static void fail(const Node& node, std::string_view what) {
        throw Error(ErrorKind::Internal, concat("graph: ", node.kind().str(), " (node ", node.id(), ") ", what));
    }

    const Graph& graph_;
    std::vector<Place> places_;  // by the number of the node
    std::size_t inputs_ = 0;
    std::vector<std::size_t> ids_;  // of all values
    std::vector<State> states_;     // of all values, by place
    std::vector<bool> listed_;      // inputs that a use of their value names
};

}  // namespace

void Graph::lint() const { Linter(*this).check_block(*block_); }

}  // namespace loupe::ir
