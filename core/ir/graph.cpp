// SPDX-License-Identifier: Apache-2.0
#include "core/ir/graph.h"

#include <algorithm>
#include <cassert>

#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/ir/schema_match.h"

namespace loupe::ir {

Value::Value(Node* node, std::size_t offset, std::size_t id)
    : node_(node), offset_(offset), id_(id), type_(types::tensor()) {}

Graph* Value::graph() const { return node_->graph(); }

namespace {

bool is_digits(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// "x.3" -> ("x", 3); without a numeric suffix (whole, 1).
std::pair<std::string, std::size_t> split_suffix(const std::string& name) {
    const auto dot = name.find_last_of('.');
    if (dot == std::string::npos || !is_digits(std::string_view(name).substr(dot + 1)) || name.size() - dot > 18) {
        return {name, 1};
    }
    return {name.substr(0, dot), std::stoull(name.substr(dot + 1))};
}

}  // namespace

Value* Value::set_name(const std::string& wanted) {
    const std::string name = wanted;  // it may be that of the value that is renamed
    if (is_digits(name)) throw Error(ErrorKind::Internal, concat("invalid name for a value: '", name, "'"));
    auto& names = graph()->names_;
    if (has_name()) names.erase(name_);
    name_ = name;
    if (name.empty()) return this;
    const auto [taken, is_new] = names.try_emplace(name_, this);
    if (!is_new) {
        Value* const other = taken->second;
        auto [base, suffix] = split_suffix(name);
        std::size_t& next = graph()->name_suffixes_[base];
        suffix = std::max(suffix, next + 1);
        std::string replacement;
        do {
            replacement = concat(base, ".", suffix++);
        } while (names.contains(replacement));
        next = suffix;
        other->set_name(replacement);
        names[name_] = this;  // the name went with the other value
    }
    return this;
}

Value* Value::set_type(TypePtr type) {
    type_ = std::move(type);
    for (const Use& use : uses_) use.user->inputs_changed();
    return this;
}

Value* Value::copy_metadata(const Value& from) {
    set_type(from.type());
    if (from.has_name()) set_name(from.name_);
    return this;
}

void Value::replace_all_uses_with(Value* other) {
    assert(other != this);
    // All at once: a value may have as many uses as the graph has nodes.
    const bool is_same_type = type_ == other->type_;
    other->uses_.reserve(other->uses_.size() + uses_.size());
    for (const Use& use : uses_) {
        use.user->inputs_[use.offset] = other;
        other->uses_.push_back(use);
        if (!is_same_type) use.user->inputs_changed();
    }
    uses_.clear();
}

namespace {

template <typename Condition>
void replace_uses_if(const Value& value, Value* other, Condition&& condition) {
    const std::vector<Use> uses = value.uses();
    for (const Use& use : uses) {
        if (condition(use.user)) use.user->replace_input(use.offset, other);
    }
}

}  // namespace

void Value::replace_all_uses_after_with(const Node* node, Value* other) {
    replace_uses_if(*this, other, [node](const Node* user) { return user->is_after(node); });
}

void Value::replace_all_uses_dominated_by_with(const Node* node, Value* other) {
    replace_uses_if(*this, other, [node](const Node* user) { return user->is_dominated_by(node); });
}

Graph::Graph() : block_(new Block(this, nullptr)), insert_before_(block_->return_node()) {}

Graph::~Graph() {
    while (!loose_.empty()) {
        Node* node = *loose_.begin();
        loose_.erase(loose_.begin());
        delete node;
    }
}

Value* Graph::add_input(const std::string& name, TypePtr type) {
    Value* value = block_->add_input(name);
    if (type) value->set_type(std::move(type));
    return value;
}

Node* Graph::create(Symbol kind, std::span<Value* const> inputs, std::size_t outputs) {
    Node* node = new Node(this, kind, next_node_id_++);
    loose_.insert(node);
    for (Value* input : inputs) node->add_input(input);
    for (std::size_t i = 0; i < outputs; ++i) node->add_output();
    node->range_ = current_range_;
    node->scope_ = current_scope_;
    if (origin_ != nullptr) node->copy_metadata(*origin_);
    if (!origin_provenance_.pass.empty()) node->provenance_ = origin_provenance_;
    return node;
}

Node* Graph::create_constant(IValue value, TypePtr type) {
    Node* node = create(prim::Constant);
    if (!type) type = value.is_tensor() ? refined_type(value.to_tensor()) : type_of(value);
    node->output()->set_type(std::move(type));
    if (!value.is_none()) node->set_ival(attr::value, std::move(value));
    return node;
}

namespace {

// Values of outer blocks that nested blocks use.
class Captured {
  public:
    Captured(const std::function<Value*(Value*)>& map, ValueMap& into) : map_(map), into_(into) {}

    void visit(const Block& block) {
        for (Value* input : block.inputs()) own_.insert(input);
        for (const Node* node : block.nodes()) {
            for (Value* input : node->inputs()) use(input);
            for (std::size_t i = 0; i < node->block_count(); ++i) visit(*node->block_at(i));
            for (Value* output : node->outputs()) own_.insert(output);
        }
        for (Value* output : block.outputs()) use(output);
    }

  private:
    void use(Value* value) {
        if (!own_.contains(value) && !into_.contains(value)) into_[value] = map_(value);
    }

    const std::function<Value*(Value*)>& map_;
    ValueMap& into_;
    std::unordered_set<const Value*> own_;
};

}  // namespace

Node* Graph::create_copy(const Node& node, const std::function<Value*(Value*)>& map, bool copy_blocks, bool keep_ids) {
    Node* copied = new Node(this, node.kind_, keep_ids ? node.id_ : next_node_id_++);
    loose_.insert(copied);
    for (Value* input : node.inputs_) copied->add_input(map(input));
    for (const auto& output : node.outputs_) {
        Value* value = copied->add_output();
        if (keep_ids) value->id_ = output->id_;
        value->copy_metadata(*output);
    }
    for (const auto& [name, value] : node.attributes_) {
        const auto* graph = std::get_if<Ptr<Graph>>(&value);
        copied->attributes_.emplace_back(name, graph != nullptr ? AttributeValue((*graph)->copy()) : value);
    }
    copied->copy_metadata(node);
    if (keep_ids)
        copied->provenance_ = node.provenance_;
    else if (!origin_provenance_.pass.empty())
        copied->provenance_ = origin_provenance_;
    copied->op_ = node.op_;
    copied->op_resolved_ = node.op_resolved_;
    if (copy_blocks) {
        for (const auto& block : node.blocks_) {
            ValueMap inner;
            for (std::size_t i = 0; i < node.inputs_.size(); ++i) inner[node.inputs_[i]] = copied->inputs_[i];
            Captured(map, inner).visit(*block);
            copied->add_block()->copy_from(*block, inner, keep_ids);
        }
    }
    return copied;
}

Value* Graph::insert_op(Symbol kind, std::initializer_list<Value*> inputs) {
    Node* node = insert(create(kind, inputs));
    const FunctionSchema* schema = node->schema();
    if (schema == nullptr) {
        node->destroy();
        throw Error(ErrorKind::Internal, concat("no overload of ", kind.str(), " fits"));
    }
    TypeBindings bindings;
    std::vector<TypePtr> types;
    for (const Value* input : node->inputs()) types.push_back(input->type());
    match_schema(*schema, types, bindings);
    if (!schema->returns.empty()) node->output()->set_type(substitute(schema->returns[0].type, bindings));
    return node->output();
}

Ptr<Graph> Graph::copy() const {
    auto graph = make_ptr<Graph>();
    ValueMap map;
    graph->block_->copy_from(*block_, map, true);
    graph->next_node_id_ = next_node_id_;
    graph->next_value_id_ = next_value_id_;
    graph->name_suffixes_ = name_suffixes_;
    return graph;
}

Value* Graph::value_by_name(std::string_view name) const {
    const auto found = names_.find(name);
    return found == names_.end() ? nullptr : found->second;
}

OriginScope::OriginScope(Graph& graph, std::initializer_list<const Node*> nodes, std::string_view pass,
                         std::string_view rule)
    : graph_(graph), origin_before_(graph.origin_), provenance_before_(graph.origin_provenance_) {
    graph.origin_ = nodes.size() > 0 ? *nodes.begin() : nullptr;
    graph.origin_provenance_ = {{}, std::string(pass), std::string(rule)};
    auto& ids = graph.origin_provenance_.nodes;
    for (const Node* node : nodes) {
        if (node->id() < graph.first_id_of_pass_)
            ids.push_back(node->id());
        else
            ids.insert(ids.end(), node->provenance().nodes.begin(), node->provenance().nodes.end());
    }
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

OriginScope::~OriginScope() {
    graph_.origin_ = origin_before_;
    graph_.origin_provenance_ = std::move(provenance_before_);
}

TypePtr refined_type(const Tensor& tensor) {
    auto type = make_ptr<TensorType>();
    type->dtype = tensor.dtype();
    type->device = tensor.device();
    type->sizes.emplace(tensor.sizes().begin(), tensor.sizes().end());
    type->strides.emplace(tensor.strides().begin(), tensor.strides().end());
    type->requires_grad = requires_grad(tensor);
    return type;
}

std::optional<IValue> constant_of(const Node* node) {
    if (node->kind() != prim::Constant) return std::nullopt;
    if (const AttributeValue* value = node->find_attribute(attr::value)) {
        const IValue* known = std::get_if<IValue>(value);  // text may leave a tensor's elements out
        return known != nullptr ? std::optional(*known) : std::nullopt;
    }
    if (node->output()->type()->kind() == TypeKind::Function) return std::nullopt;
    return IValue();
}

bool is_constant(const Value* value) { return value->node()->kind() == prim::Constant; }

bool is_none_constant(const Value* value) {
    return is_constant(value) && value->type()->kind() != TypeKind::Function &&
           !value->node()->has_attribute(attr::value);
}

}  // namespace loupe::ir
