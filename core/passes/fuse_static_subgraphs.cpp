// SPDX-License-Identifier: Apache-2.0
// Parts of a graph whose operations depend on input shapes only become one node each, which runs as a planned program.
// They end at graph breaks.
#include <algorithm>
#include <unordered_set>

#include "core/passes/graph_breaks.h"
#include "core/passes/graph_tools.h"
#include "core/passes/pass_list.h"

namespace loupe::passes {
namespace {

using ir::Block;
using ir::Graph;
using ir::Node;
using ir::Symbol;
using ir::Value;
namespace prim = ir::prim;

constexpr const char* kPass = "FuseStaticSubgraphs";

Symbol static_subgraph() {
    static const Symbol kKind = Symbol::intern("prim::StaticSubgraph");
    return kKind;
}

// A run of adjacent nodes becomes one node in place of the last.
class SegmentMaker {
  public:
    SegmentMaker(Graph& graph, const std::vector<Node*>& members)
        : graph_(graph), members_(members), inside_(members.begin(), members.end()) {}

    void make() {
        const ir::OriginScope origin(graph_, {members_.front(), members_.back()}, kPass, "segment");
        group_ = graph_.create(static_subgraph(), 0)->insert_before(members_.back());
        for (Node* member : members_) {
            const ir::OriginScope member_origin(*subgraph_, {member}, kPass, "segment");
            Node* copied = subgraph_->create_copy(*member, [this](Value* value) { return value_inside(value); });
            subgraph_->block()->append(copied);
            for (std::size_t i = 0; i < member->outputs().size(); ++i) map_[member->output(i)] = copied->output(i);
        }
        std::vector<Value*> replaced;
        for (const Node* member : members_) {
            for (Value* output : member->outputs()) {
                if (!is_read_outside(output)) continue;
                subgraph_->add_output(map_.at(output));
                group_->add_output()->copy_metadata(*output);
                replaced.push_back(output);
            }
        }
        for (std::size_t i = 0; i < replaced.size(); ++i) replaced[i]->replace_all_uses_with(group_->output(i));
        group_->set_attribute(ir::attr::Subgraph, subgraph_);
        for (auto member = members_.rbegin(); member != members_.rend(); ++member) (*member)->destroy();
    }

  private:
    Value* value_inside(Value* value) {
        if (const auto found = map_.find(value); found != map_.end()) return found->second;
        Value* inside = nullptr;
        if (value->node()->kind() == prim::Constant) {
            Node* constant = subgraph_->create_copy(*value->node(), [](Value* v) { return v; });
            inside =
                constant->insert_after(last_constant_ != nullptr ? last_constant_ : subgraph_->param_node())->output();
            last_constant_ = constant;
        } else {
            group_->add_input(value);
            inside = subgraph_->add_input({}, value->type())->copy_metadata(*value);
        }
        return map_[value] = inside;
    }

    bool is_read_outside(const Value* value) const {
        return std::any_of(value->uses().begin(), value->uses().end(), [this](const ir::Use& use) {
            const Node* user = use.user;
            while (user->block() != members_.front()->block()) user = user->owning_node();
            return !inside_.contains(user);
        });
    }

    Graph& graph_;
    const std::vector<Node*>& members_;
    std::unordered_set<const Node*> inside_;
    Ptr<Graph> subgraph_ = make_ptr<Graph>();
    Node* group_ = nullptr;
    Node* last_constant_ = nullptr;
    ir::ValueMap map_;
};

// A group of one operator does not pay off.
bool is_worth_it(const std::vector<Node*>& members) {
    const auto works = [](const Node* node) {
        return node->block_count() > 0 || node->has_attribute(ir::attr::Subgraph) ||
               (node->op() != nullptr && node->op()->tensor_arguments != 0);
    };
    return std::count_if(members.begin(), members.end(), works) > 1;
}

void form_segments(Graph& graph, Block* block, const std::unordered_set<const Node*>& breaks) {
    std::vector<std::vector<Node*>> segments(1);
    for (Node* node : block->nodes()) {
        if (node->kind() == prim::Constant) continue;
        if (!breaks.contains(node) && node->kind() != static_subgraph()) {
            segments.back().push_back(node);
            continue;
        }
        for (std::size_t b = 0; b < node->block_count(); ++b) form_segments(graph, node->block_at(b), breaks);
        segments.emplace_back();
    }
    for (const auto& members : segments) {
        if (is_worth_it(members)) SegmentMaker(graph, members).make();
    }
}

}  // namespace

const Pass kFuseStaticSubgraphs{
    "FuseStaticSubgraphs",
    "What does the same for all inputs of the same shapes becomes one node, run as a planned program.",
    [](Graph& graph, const PassContext&) {
        std::unordered_set<const Node*> breaks;
        for (const GraphBreak& found : find_graph_breaks(graph)) breaks.insert(found.node);
        form_segments(graph, graph.block(), breaks);
    }};

}  // namespace loupe::passes
