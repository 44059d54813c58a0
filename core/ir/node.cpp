// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cassert>
#include <limits>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/ir/graph.h"
#include "core/ir/schema_match.h"

namespace loupe::ir {
namespace {

constexpr std::int64_t kFirstPosition = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kLastPosition = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kStep = std::int64_t{1} << 40;

}  // namespace

Node::Node(Graph* graph, Symbol kind, std::uint32_t id) : graph_(graph), kind_(kind), id_(id) {}

Node::~Node() = default;

void Node::set_kind(Symbol kind) {
    kind_ = kind;
    op_resolved_ = false;
}

Node* Node::owning_node() const { return block_ != nullptr ? block_->owning_node() : nullptr; }

Value* Node::add_input(Value* value) {
    assert(value != nullptr && value->graph() == graph_);
    value->uses_.push_back({this, inputs_.size()});
    inputs_.push_back(value);
    inputs_changed();
    return value;
}

Value* Node::insert_input(std::size_t i, Value* value) {
    for (std::size_t j = inputs_.size(); j-- > i;) {
        auto& uses = inputs_[j]->uses_;
        ++std::find(uses.begin(), uses.end(), Use{this, j})->offset;
    }
    inputs_.insert(inputs_.begin() + static_cast<std::ptrdiff_t>(i), value);
    value->uses_.push_back({this, i});
    inputs_changed();
    return value;
}

namespace {

// From both ends at once: nodes go from the front or from the back of a graph, and a constant may have uses all over
// it.
std::vector<Use>::iterator find_use(std::vector<Use>& uses, const Use& use) {
    for (std::size_t front = 0, back = uses.size() - 1;; ++front, --back) {
        if (uses[front] == use) return uses.begin() + static_cast<std::ptrdiff_t>(front);
        if (uses[back] == use) return uses.begin() + static_cast<std::ptrdiff_t>(back);
        assert(front <= back);
    }
}

}  // namespace

void Node::drop_use(std::size_t i) {
    auto& uses = inputs_[i]->uses_;
    uses.erase(find_use(uses, {this, i}));
}

Value* Node::replace_input(std::size_t i, Value* value) {
    Value* before = inputs_[i];
    if (before == value) return before;
    drop_use(i);
    inputs_[i] = value;
    value->uses_.push_back({this, i});
    if (before->type() != value->type()) inputs_changed();
    return before;
}

void Node::replace_input_with(Value* from, Value* to) {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
        if (inputs_[i] == from) replace_input(i, to);
    }
}

void Node::remove_input(std::size_t i) {
    drop_use(i);
    for (std::size_t j = i + 1; j < inputs_.size(); ++j) {
        auto& uses = inputs_[j]->uses_;
        --find_use(uses, {this, j})->offset;
    }
    inputs_.erase(inputs_.begin() + static_cast<std::ptrdiff_t>(i));
    inputs_changed();
}

void Node::remove_all_inputs() {
    for (std::size_t i = 0; i < inputs_.size(); ++i) drop_use(i);
    inputs_.clear();
    inputs_changed();
}

Value* Node::named_input(std::string_view name) const {
    const FunctionSchema* known = schema();
    if (known == nullptr) return nullptr;
    const auto index = known->find_argument(name);
    return index && *index < inputs_.size() ? inputs_[*index] : nullptr;
}

bool Node::has_uses() const {
    return std::any_of(outputs_.begin(), outputs_.end(), [](const auto& output) { return output->has_uses(); });
}

Value* Node::add_output() { return insert_output(outputs_.size()); }

Value* Node::insert_output(std::size_t i) {
    auto value = std::unique_ptr<Value>(new Value(this, i, graph_->next_value_id_++));
    Value* added = value.get();
    const auto place = static_cast<std::ptrdiff_t>(i);
    outputs_.insert(outputs_.begin() + place, std::move(value));
    output_pointers_.insert(output_pointers_.begin() + place, added);
    for (std::size_t j = i + 1; j < outputs_.size(); ++j) outputs_[j]->offset_ = j;
    return added;
}

void Node::erase_output(std::size_t i) {
    assert(!outputs_[i]->has_uses());
    outputs_[i]->set_name("");
    const auto place = static_cast<std::ptrdiff_t>(i);
    outputs_.erase(outputs_.begin() + place);
    output_pointers_.erase(output_pointers_.begin() + place);
    for (std::size_t j = i; j < outputs_.size(); ++j) outputs_[j]->offset_ = j;
}

void Node::replace_all_uses_with(Node* other) {
    assert(outputs_.size() == other->outputs_.size());
    for (std::size_t i = 0; i < outputs_.size(); ++i) outputs_[i]->replace_all_uses_with(other->output(i));
}

Block* Node::add_block() {
    blocks_.push_back(std::unique_ptr<Block>(new Block(graph_, this)));
    return blocks_.back().get();
}

namespace {

// Unlinks everything inside from values outside, innermost first.
void forget_block(Block* block) {
    block->return_node()->remove_all_inputs();
    std::vector<Node*> nodes;
    for (Node* node : block->nodes()) nodes.push_back(node);
    for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) (*node)->destroy();
    for (Value* input : block->inputs()) input->set_name("");
}

}  // namespace

void Node::erase_block(std::size_t i) {
    forget_block(blocks_[i].get());
    blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(i));
}

const AttributeValue* Node::find_attribute(Symbol name) const {
    for (const auto& [key, value] : attributes_) {
        if (key == name) return &value;
    }
    return nullptr;
}

Node* Node::set_attribute(Symbol name, AttributeValue value) {
    for (auto& [key, old] : attributes_) {
        if (key == name) {
            old = std::move(value);
            return this;
        }
    }
    attributes_.emplace_back(name, std::move(value));
    return this;
}

void Node::remove_attribute(Symbol name) {
    std::erase_if(attributes_, [name](const auto& attribute) { return attribute.first == name; });
}

void Node::bad_attribute(Symbol name) const {
    throw Error(ErrorKind::Internal, concat("node ", kind_.str(), " has no attribute '", name.str(), "' of that type"));
}

void Node::link_before(Node* other) {
    graph_->loose_.erase(this);
    block_ = other->block_;
    next_ = other;
    prev_ = other->prev_;
    prev_->next_ = this;
    other->prev_ = this;
    assign_position();
}

void Node::unlink() {
    prev_->next_ = next_;
    next_->prev_ = prev_;
    next_ = prev_ = nullptr;
    block_ = nullptr;
    graph_->loose_.insert(this);
}

void Node::assign_position() {
    const bool is_first = prev_ == block_->param_node();
    const bool is_last = next_ == block_->return_node();
    const std::int64_t before = is_first ? kFirstPosition : prev_->position_;
    const std::int64_t after = is_last ? kLastPosition : next_->position_;
    if (is_first && is_last)
        position_ = 0;
    else if (is_last && before < kLastPosition - kStep)
        position_ = before + kStep;
    else if (is_first && after > kFirstPosition + kStep)
        position_ = after - kStep;
    else if (!is_first && !is_last && after - before > 1)
        position_ = before + (after - before) / 2;
    else {
        std::int64_t position = 0;
        for (Node* node : block_->nodes()) node->position_ = position += kStep;
    }
}

Node* Node::insert_before(Node* other) {
    assert(block_ == nullptr && other->block_ != nullptr);
    link_before(other);
    return this;
}

Node* Node::insert_after(Node* other) { return insert_before(other->next_); }

void Node::move_before(Node* other) {
    if (other == this) return;
    unlink();
    link_before(other);
}

void Node::move_after(Node* other) {
    if (other == this) return;
    unlink();
    link_before(other->next_);
}

namespace {

std::size_t depth_of(const Block* block) {
    std::size_t depth = 0;
    for (const Node* owner = block->owning_node(); owner != nullptr; owner = owner->block()->owning_node()) ++depth;
    return depth;
}

}  // namespace

bool Node::is_before(const Node* other) const {
    if (this == other) return false;
    const Node* a = this;
    const Node* b = other;
    std::size_t depth_a = depth_of(a->block_);
    std::size_t depth_b = depth_of(b->block_);
    for (; depth_a > depth_b; --depth_a) a = a->owning_node();
    for (; depth_b > depth_a; --depth_b) b = b->owning_node();
    if (a == b) return a == this;  // one holds the other
    while (a->block_ != b->block_) {
        if (a->owning_node() == b->owning_node()) {
            // Two blocks of one node: the first one's nodes count as earlier.
            const Node* owner = a->owning_node();
            for (const auto& block : owner->blocks_) {
                if (block.get() == a->block_) return true;
                if (block.get() == b->block_) return false;
            }
        }
        a = a->owning_node();
        b = b->owning_node();
    }
    const auto rank = [](const Node* node) {
        return node == node->block_->param_node() ? -1 : (node == node->block_->return_node() ? 1 : 0);
    };
    if (rank(a) != rank(b)) return rank(a) < rank(b);
    return a->position_ < b->position_;
}

bool Node::is_dominated_by(const Node* other) const {
    const Node* node = this;
    while (node != nullptr && node->block_ != other->block_) node = node->owning_node();
    return node != nullptr && other->is_before(node);
}

void Node::destroy() {
    assert(!has_uses());
    for (auto& block : blocks_) forget_block(block.get());
    remove_all_inputs();
    for (auto& output : outputs_) output->set_name("");
    if (block_ != nullptr) unlink();
    graph_->loose_.erase(this);
    delete this;
}

Node* Node::copy_metadata(const Node& from) {
    range_ = from.range_;
    scope_ = from.scope_;
    inlined_from_ = from.inlined_from_;
    return this;
}

const Operator* Node::op() const {
    if (!op_resolved_) {
        std::vector<TypePtr> types;
        types.reserve(inputs_.size());
        for (const Value* input : inputs_) types.push_back(input->type());
        op_ = match_operator(kind_.str(), types, outputs_.size());
        if (op_ == nullptr) op_ = match_operator(kind_.str(), types);
        op_resolved_ = true;
    }
    return op_;
}

const FunctionSchema* Node::schema() const {
    const Operator* resolved = op();
    return resolved != nullptr ? &resolved->schema : nullptr;
}

bool Node::is(std::string_view full_operator_name) const {
    const std::string& kind = kind_.str();
    if (!full_operator_name.starts_with(kind)) return false;
    const Operator* resolved = op();
    return resolved != nullptr && resolved->full_name == full_operator_name;
}

bool Node::has_side_effects() const {
    static const Symbol kWarn = Symbol::intern("aten::warn");
    static const Symbol kManualSeed = Symbol::intern("aten::manual_seed");
    static const Symbol kBailOut = Symbol::intern("prim::BailOut");
    if (kind_ == prim::SetAttr || kind_ == prim::Print || kind_ == prim::RaiseException || kind_ == prim::Enter ||
        kind_ == prim::Exit || kind_ == prim::CallMethod || kind_ == prim::CallFunction || kind_ == kWarn ||
        kind_ == kManualSeed || kind_ == kBailOut) {
        return true;
    }
    if (kind_.space() == "prim") return op() != nullptr && op()->written_arguments != 0;
    // Operators without results, such as set_grad_enabled, have effects.
    return op() == nullptr || op()->schema.has_write() || op()->schema.returns.empty();
}

bool Node::is_random() const {
    if (op() != nullptr && op()->record->is_random) return true;
    for (const auto& block : blocks_) {
        for (const Node* node : block->nodes()) {
            if (node->is_random()) return true;
        }
    }
    return false;
}

}  // namespace loupe::ir
