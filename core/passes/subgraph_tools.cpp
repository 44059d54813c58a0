// SPDX-License-Identifier: Apache-2.0
#include "core/passes/subgraph_tools.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "core/passes/graph_tools.h"

namespace loupe::passes {
namespace {

using ir::Block;
using ir::Graph;
using ir::Node;
using ir::Value;
namespace prim = ir::prim;

// Replaces the members in the block by one node in place of the last.
class GroupMaker {
  public:
    GroupMaker(Graph& graph, const Grouping& grouping, const std::vector<Node*>& members)
        : graph_(graph), grouping_(grouping), members_(members), inside_(members.begin(), members.end()) {}

    void make() {
        const ir::OriginScope origin(graph_, {members_.front(), members_.back()}, grouping_.pass, "group");
        Node* group = graph_.create(grouping_.kind, 0)->insert_before(members_.back());
        for (const Node* member : members_) copy(member, group);
        std::vector<Value*> replaced;
        for (Node* member : members_) {
            for (Value* output : member->outputs()) {
                if (!is_read_outside(output)) continue;
                subgraph_->add_output(map_.at(output));
                group->add_output()->copy_metadata(*output);
                replaced.push_back(output);
            }
        }
        // Types are copied, names stay with the original until it is removed.
        for (std::size_t i = 0; i < replaced.size(); ++i) replaced[i]->replace_all_uses_with(group->output(i));
        group->set_attribute(ir::attr::Subgraph, subgraph_);
        for (auto member = members_.rbegin(); member != members_.rend(); ++member) (*member)->destroy();
    }

  private:
    void copy(const Node* member, Node* group) {
        const auto mapped = [&](Value* value) { return value_inside(value, group); };
        Node* copied = subgraph_->create_copy(*member, mapped);
        subgraph_->block()->append(copied);
        for (std::size_t i = 0; i < member->outputs().size(); ++i) map_[member->output(i)] = copied->output(i);
    }

    Value* value_inside(Value* value, Node* group) {
        if (const auto found = map_.find(value); found != map_.end()) return found->second;
        Value* inside = nullptr;
        if (value->node()->kind() == prim::Constant &&
            (value->type()->kind() != TypeKind::Tensor || is_taken_scalar(value))) {
            Node* constant = subgraph_->create_copy(*value->node(), [](Value* v) { return v; });
            inside = subgraph_->block()->append(constant)->output();
        } else {
            group->add_input(value);
            inside = subgraph_->add_input({}, value->type());
        }
        map_[value] = inside;
        return inside;
    }

    bool is_taken_scalar(const Value* value) const {
        if (!grouping_.takes_scalar_tensors) return false;
        const auto tensor = constant_tensor(value);
        return tensor && tensor->dim() == 0;
    }

    bool is_read_outside(const Value* value) const {
        return std::any_of(value->uses().begin(), value->uses().end(),
                           [this](const ir::Use& use) { return !inside_.contains(use.user); });
    }

    Graph& graph_;
    const Grouping& grouping_;
    const std::vector<Node*>& members_;
    std::unordered_set<const Node*> inside_;
    Ptr<Graph> subgraph_ = make_ptr<Graph>();
    ir::ValueMap map_;
};

class GroupFinder {
  public:
    GroupFinder(const Grouping& grouping, const AliasAnalysis& aliases) : grouping_(grouping), aliases_(aliases) {}

    std::vector<std::vector<Node*>> find(Block* block) {
        for (Node* node : block->nodes()) {
            if (node->kind() == prim::Constant) continue;
            if (can_join(node)) {
                join(node);
                continue;
            }
            close_read_by(node);
            if (may_draw(node)) close_random();
        }
        std::vector<std::vector<Node*>> found;
        for (auto& group : groups_) {
            if (group.size() >= std::max<std::size_t>(1, grouping_.fewest)) found.push_back(std::move(group));
        }
        return found;
    }

  private:
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

    bool can_join(const Node* node) const {
        if (node->block_count() > 0 || node->outputs().empty() || node->has_attribute(ir::attr::Subgraph)) return false;
        if (node->has_side_effects() || (node->is_random() && !grouping_.takes_random) || aliases_.has_writers(node))
            return false;
        return grouping_.is_member(node);
    }

    // The open group that produces the value; kNone when there is none.
    std::size_t group_of(const Value* value) const {
        const auto found = group_of_.find(value->node());
        return found == group_of_.end() || closed_[found->second] ? kNone : found->second;
    }

    void join(Node* node) {
        std::size_t target = grouping_.is_connected ? kNone : last_open();
        for (const Value* input : node->inputs()) {
            const std::size_t read = group_of(input);
            if (read == kNone || read == target) continue;
            if (target == kNone)
                target = read;
            else
                target = merge(target, read);
        }
        if (target == kNone) {
            target = groups_.size();
            groups_.emplace_back();
            closed_.push_back(false);
        }
        groups_[target].push_back(node);
        group_of_[node] = target;
        last_ = target;
        if (!node->is_random() || random_ == target) return;
        close_random();
        random_ = target;
    }

    // A call's body is not looked at.
    static bool may_draw(const Node* node) {
        return node->is_random() || (node->op() == nullptr && node->kind().str().starts_with("prim::Call"));
    }
    // A group runs in place of its last member: later random numbers must be drawn after it.
    void close_random() {
        if (random_ != kNone) closed_[random_] = true;
        random_ = kNone;
    }

    std::size_t last_open() const { return last_ != kNone && !closed_[last_] ? last_ : kNone; }

    // The smaller is merged into the larger, in the block's order.
    std::size_t merge(std::size_t a, std::size_t b) {
        if (groups_[a].size() < groups_[b].size()) std::swap(a, b);
        std::vector<Node*> both;
        std::merge(groups_[a].begin(), groups_[a].end(), groups_[b].begin(), groups_[b].end(), std::back_inserter(both),
                   [](const Node* x, const Node* y) { return x->is_before(y); });
        for (const Node* node : groups_[b]) group_of_[node] = a;
        groups_[a] = std::move(both);
        groups_[b].clear();
        closed_[b] = true;
        if (random_ == b) random_ = a;
        return a;
    }

    // A use of the group's results would precede the group: it is closed.
    void close_read_by(const Node* node) {
        for (const Value* input : node->inputs()) {
            if (const std::size_t read = group_of(input); read != kNone) closed_[read] = true;
        }
        for (std::size_t b = 0; b < node->block_count(); ++b) {
            for (const Node* inner : node->block_at(b)->nodes()) close_read_by(inner);
            close_read_by(node->block_at(b)->return_node());
        }
    }

    const Grouping& grouping_;
    const AliasAnalysis& aliases_;
    std::vector<std::vector<Node*>> groups_;
    std::vector<bool> closed_;
    std::unordered_map<const Node*, std::size_t> group_of_;
    std::size_t last_ = kNone;
    std::size_t random_ = kNone;  // the open group that draws random numbers
};

void form_in(Graph& graph, Block* block, const Grouping& grouping, const AliasAnalysis& aliases) {
    for (Node* node : block->nodes()) {
        for (std::size_t i = 0; i < node->block_count(); ++i) form_in(graph, node->block_at(i), grouping, aliases);
    }
    for (const auto& members : GroupFinder(grouping, aliases).find(block)) GroupMaker(graph, grouping, members).make();
}

// The value of self, or of an attribute that is reached from it.
std::optional<IValue> resolved(const Graph& graph, const Ptr<Object>& module, const Value* value) {
    if (value == graph.inputs()[0]) return IValue(module);
    if (value->node()->kind() != prim::GetAttr) return std::nullopt;
    const auto object = resolved(graph, module, value->node()->input(0));
    if (!object || !object->is_object()) return std::nullopt;
    const auto slot = object->to_object()->type()->find_attribute(value->node()->s(ir::attr::name));
    return slot ? std::optional(object->to_object()->slot(*slot)) : std::nullopt;
}

// May other code change which tensor an attribute is, or write to it?
bool changes_attributes(const Block* block) {
    return std::any_of(block->nodes().begin(), block->nodes().end(), [](const Node* node) {
        if (node->kind() == prim::SetAttr || node->kind() == prim::fork ||
            (node->op() == nullptr && node->kind().str().starts_with("prim::Call")))
            return true;
        for (std::size_t b = 0; b < node->block_count(); ++b) {
            if (changes_attributes(node->block_at(b))) return true;
        }
        return false;
    });
}

}  // namespace

void form_groups(Graph& graph, Block* block, const Grouping& grouping) {
    AttributeIdentity identity;
    if (grouping.module && !graph.inputs().empty() && !changes_attributes(graph.block())) {
        identity = [&](const Node* node) -> const void* {
            const auto value = resolved(graph, grouping.module, node->output());
            return value && value->is_tensor() && value->to_tensor().defined() ? value->to_tensor().storage().get()
                                                                               : nullptr;
        };
    }
    form_in(graph, block, grouping, AliasAnalysis(graph, std::move(identity)));
}

void inline_group(Node* node) {
    Graph& graph = *node->graph();
    const Ptr<Graph> subgraph = node->g(ir::attr::Subgraph);
    const ir::OriginScope origin(graph, {node}, "Inline", "group");
    ir::ValueMap map;
    for (std::size_t i = 0; i < node->inputs().size(); ++i) map[subgraph->inputs()[i]] = node->input(i);
    for (const Node* inner : subgraph->nodes()) {
        Node* copied = graph.create_copy(*inner, [&map](Value* value) { return map.at(value); })->insert_before(node);
        for (std::size_t i = 0; i < inner->outputs().size(); ++i) map[inner->output(i)] = copied->output(i);
    }
    for (std::size_t i = 0; i < node->outputs().size(); ++i)
        node->output(i)->replace_all_uses_with(map.at(subgraph->outputs()[i]));
    node->destroy();
}

}  // namespace loupe::passes
