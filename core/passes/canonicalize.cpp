// SPDX-License-Identifier: Apache-2.0
#include "core/ir/parser.h"
#include "core/passes/pass_list.h"

namespace loupe::passes {
namespace {

using ir::Block;
using ir::Graph;
using ir::Node;
using ir::Value;

// Removes names and renumbers values in the order of the text: equal graphs print alike.
class Numbering {
  public:
    explicit Numbering(Graph& graph) : graph_(graph) {}
    void run() {
        clear_names(graph_.block());
        ir::renumber_values(graph_);
    }

  private:
    static void clear_names(const std::vector<Value*>& values) {
        for (Value* value : values) value->set_name("");
    }
    void clear_names(Block* block) {
        clear_names(block->inputs());
        for (Node* node : block->nodes()) {
            clear_names(node->outputs());
            for (std::size_t i = 0; i < node->block_count(); ++i) clear_names(node->block_at(i));
            if (node->has_attribute(ir::attr::Subgraph)) Numbering(*node->g(ir::attr::Subgraph)).run();
        }
    }

    Graph& graph_;
};

}  // namespace

const Pass kCanonicalize{"Canonicalize", "Values have numbers in the order of the text and no names.",
                         [](Graph& graph, const PassContext&) { Numbering(graph).run(); }};

}  // namespace loupe::passes
