// SPDX-License-Identifier: Apache-2.0
#pragma once
// PyTorch's Graph IR: a graph is a block; a block is a list of nodes between its parameters and its results; a node has
// inputs, outputs, attributes and blocks of its own; values are in SSA form.
//
// Graphs own their nodes, nodes their output values and blocks. Pointers stay valid until destroy().

#include <complex>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "core/dispatch/registry.h"
#include "core/ir/source.h"
#include "core/ir/symbol.h"
#include "core/value/ivalue.h"
#include "core/value/schema.h"
#include "core/value/type.h"

namespace loupe::ir {

class Block;
class Graph;
class Node;
class Value;

// An input of a node.
struct Use {
    Node* user = nullptr;
    std::size_t offset = 0;
    friend bool operator==(const Use&, const Use&) = default;
};

// From a value of the copied graph to its copy.
using ValueMap = std::unordered_map<const Value*, Value*>;

class Value {
  public:
    Value(const Value&) = delete;
    Value& operator=(const Value&) = delete;

    Node* node() const { return node_; }  // of a block's parameter: the block's Param node
    std::size_t offset() const { return offset_; }
    Graph* graph() const;
    // Unique in the graph; printed when there is no name.
    std::size_t id() const { return id_; }
    bool has_name() const { return !name_.empty(); }
    // "x.1", or the id.
    std::string debug_name() const { return has_name() ? name_ : std::to_string(id_); }
    // Sets the name; another value of the same name gets the next free suffix, as in PyTorch. "" removes it.
    // Throws Error (Internal) for a number.
    Value* set_name(const std::string& name);

    const TypePtr& type() const { return type_; }
    Value* set_type(TypePtr type);
    // Type and name of another value.
    Value* copy_metadata(const Value& from);

    const std::vector<Use>& uses() const { return uses_; }
    bool has_uses() const { return !uses_.empty(); }
    void replace_all_uses_with(Value* other);
    // Only the uses after `node` in execution order.
    void replace_all_uses_after_with(const Node* node, Value* other);
    // Only the uses in nodes that `node` dominates.
    void replace_all_uses_dominated_by_with(const Node* node, Value* other);

  private:
    friend class Node;
    friend class Block;
    friend class Graph;
    friend class Parser;
    Value(Node* node, std::size_t offset, std::size_t id);

    Node* node_;
    std::size_t offset_;
    std::size_t id_;
    std::string name_;
    TypePtr type_;
    std::vector<Use> uses_;
};

using AttributeValue =
    std::variant<std::int64_t, double, std::complex<double>, std::string, Tensor, TypePtr, std::vector<std::int64_t>,
                 std::vector<double>, std::vector<std::string>, TensorList, std::vector<TypePtr>, Ptr<Graph>, IValue>;

// A call that the inline pass replaced by the callee's body.
struct InlinedCall {
    std::string function;                       // qualified name of the callee
    std::string scope;                          // module path of the callee: "layer1.0.conv1"; empty for free functions
    SourceRange range;                          // of the call
    std::shared_ptr<const InlinedCall> caller;  // the enclosing call; null at the top
};

// Origin of a node: the ids of its source nodes in the graph before, and the pass. Unchanged nodes keep their id, so no
// pass means: of the same id before.
struct Provenance {
    std::vector<std::uint32_t> nodes;
    std::string pass;
    std::string rule;
};

class Node {
  public:
    Node(const Node&) = delete;
    Node& operator=(const Node&) = delete;
    ~Node();

    Symbol kind() const { return kind_; }
    // Changes the kind in place; the operator is resolved again.
    void set_kind(Symbol kind);
    Graph* graph() const { return graph_; }
    Block* block() const { return block_; }  // null while it is in none
    // Unique in the graph, kept by Graph::copy.
    std::uint32_t id() const { return id_; }
    // The node that owns the block it is in; null at the top.
    Node* owning_node() const;

    // --- inputs ---
    const std::vector<Value*>& inputs() const { return inputs_; }
    Value* input(std::size_t i = 0) const { return inputs_[i]; }
    Value* add_input(Value* value);
    Value* insert_input(std::size_t i, Value* value);
    // Returns the input before.
    Value* replace_input(std::size_t i, Value* value);
    void replace_input_with(Value* from, Value* to);
    void remove_input(std::size_t i);
    void remove_all_inputs();
    // By the schema's argument name; null without a schema or such an argument.
    Value* named_input(std::string_view name) const;

    // --- outputs ---
    const std::vector<Value*>& outputs() const { return output_pointers_; }
    Value* output(std::size_t i = 0) const { return output_pointers_[i]; }
    bool has_uses() const;
    Value* add_output();
    Value* insert_output(std::size_t i);
    // It must be unused.
    void erase_output(std::size_t i);
    // All outputs' uses go to the other node's outputs, which must be as many.
    void replace_all_uses_with(Node* other);

    // --- blocks ---
    std::size_t block_count() const { return blocks_.size(); }
    Block* block_at(std::size_t i) const { return blocks_[i].get(); }
    Block* add_block();
    void erase_block(std::size_t i);

    // --- attributes, in the order in which they were set ---
    const std::vector<std::pair<Symbol, AttributeValue>>& attributes() const { return attributes_; }
    bool has_attribute(Symbol name) const { return find_attribute(name) != nullptr; }
    const AttributeValue* find_attribute(Symbol name) const;
    Node* set_attribute(Symbol name, AttributeValue value);
    void remove_attribute(Symbol name);
    // Throws Error (Internal) when it is missing or of another type.
    template <typename T>
    const T& attribute(Symbol name) const {
        const AttributeValue* value = find_attribute(name);
        if (value == nullptr || !std::holds_alternative<T>(*value)) bad_attribute(name);
        return std::get<T>(*value);
    }
    std::int64_t i(Symbol name) const { return attribute<std::int64_t>(name); }
    double f(Symbol name) const { return attribute<double>(name); }
    const std::string& s(Symbol name) const { return attribute<std::string>(name); }
    const Tensor& t(Symbol name) const { return attribute<Tensor>(name); }
    const TypePtr& ty(Symbol name) const { return attribute<TypePtr>(name); }
    const std::vector<TypePtr>& tys(Symbol name) const { return attribute<std::vector<TypePtr>>(name); }
    const Ptr<Graph>& g(Symbol name) const { return attribute<Ptr<Graph>>(name); }
    const IValue& ival(Symbol name) const { return attribute<IValue>(name); }
    Node* set_i(Symbol name, std::int64_t value) { return set_attribute(name, value); }
    Node* set_f(Symbol name, double value) { return set_attribute(name, value); }
    Node* set_s(Symbol name, std::string value) { return set_attribute(name, std::move(value)); }
    Node* set_ty(Symbol name, TypePtr value) { return set_attribute(name, std::move(value)); }
    Node* set_ival(Symbol name, IValue value) {
        return set_attribute(name, AttributeValue(std::in_place_type<IValue>, std::move(value)));
    }

    // --- position in the block ---
    Node* next() const { return next_; }  // the block's Return node after the last
    Node* prev() const { return prev_; }  // the block's Param node before the first
    Node* insert_before(Node* other);
    Node* insert_after(Node* other);
    // Takes it out of its block and puts it elsewhere.
    void move_before(Node* other);
    void move_after(Node* other);
    // Runs before the other, also in different blocks; false for itself. A node with blocks runs before the nodes in
    // them.
    bool is_before(const Node* other) const;
    bool is_after(const Node* other) const { return this != other && !is_before(other); }
    // Has the other on every path to it: this node may use the other's outputs.
    bool is_dominated_by(const Node* other) const;
    // Outputs must be unused.
    void destroy();

    // --- properties ---
    const SourceRange& range() const { return range_; }
    Node* set_range(SourceRange range) {
        range_ = std::move(range);
        return this;
    }
    // Path of the module whose code it is: "layer1.0.conv1", from tracing or inlining; empty at the root.
    const std::string& scope() const { return scope_; }
    Node* set_scope(std::string scope) {
        scope_ = std::move(scope);
        return this;
    }
    const std::shared_ptr<const InlinedCall>& inlined_from() const { return inlined_from_; }
    void set_inlined_from(std::shared_ptr<const InlinedCall> call) { inlined_from_ = std::move(call); }
    const Provenance& provenance() const { return provenance_; }
    void set_provenance(Provenance provenance) { provenance_ = std::move(provenance); }
    // Range, scope and inlined calls of another node.
    Node* copy_metadata(const Node& from);

    // The operator by kind and input types; null for prim structure and unknown operators.
    const Operator* op() const;
    // For builders that have resolved it.
    void set_op(const Operator* op) {
        op_ = op;
        op_resolved_ = true;
    }
    const FunctionSchema* schema() const;
    // Is it this operator? is("aten::add.Tensor").
    bool is(std::string_view full_operator_name) const;

    // May it not be removed although its outputs are unused: prints, raises, writes attributes or arguments, calls?
    bool has_side_effects() const;
    bool is_random() const;  // depends on the random generator, itself or in its blocks

  private:
    friend class Value;
    friend class Block;
    friend class Graph;
    friend class Parser;
    Node(Graph* graph, Symbol kind, std::uint32_t id);

    [[noreturn]] void bad_attribute(Symbol name) const;
    void link_before(Node* other);
    void unlink();
    void assign_position();
    void drop_use(std::size_t i);
    void inputs_changed() { op_resolved_ = false; }

    Graph* graph_;
    Block* block_ = nullptr;
    Symbol kind_;
    std::uint32_t id_;
    std::vector<Value*> inputs_;
    std::vector<std::unique_ptr<Value>> outputs_;
    std::vector<Value*> output_pointers_;
    std::vector<std::unique_ptr<Block>> blocks_;
    std::vector<std::pair<Symbol, AttributeValue>> attributes_;
    Node* next_ = nullptr;
    Node* prev_ = nullptr;
    std::int64_t position_ = 0;  // order within the block
    SourceRange range_;
    std::string scope_;
    std::shared_ptr<const InlinedCall> inlined_from_;
    Provenance provenance_;
    mutable const Operator* op_ = nullptr;
    mutable bool op_resolved_ = false;
};

// Nodes of a block in order. The loop may destroy or move the node it is at.
class NodeIterator {
  public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = Node*;
    using difference_type = std::ptrdiff_t;
    using pointer = Node**;
    using reference = Node*;

    NodeIterator() = default;
    explicit NodeIterator(Node* node) : node_(node), next_(node->next()) {}
    Node* operator*() const { return node_; }
    NodeIterator& operator++() {
        node_ = next_;
        next_ = node_->next();
        return *this;
    }
    NodeIterator operator++(int) {
        NodeIterator before = *this;
        ++*this;
        return before;
    }
    friend bool operator==(const NodeIterator& a, const NodeIterator& b) { return a.node_ == b.node_; }

  private:
    Node* node_ = nullptr;
    Node* next_ = nullptr;
};

class NodeRange {
  public:
    NodeRange(Node* first, Node* end) : first_(first), end_(end) {}
    NodeIterator begin() const { return NodeIterator(first_); }
    NodeIterator end() const { return NodeIterator(end_); }
    bool empty() const { return first_ == end_; }

  private:
    Node* first_;
    Node* end_;
};

class Block {
  public:
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;
    ~Block();

    Graph* graph() const { return graph_; }
    Node* owning_node() const { return owner_; }  // null for the graph's own block
    NodeRange nodes() const { return {param_->next(), return_}; }
    Node* param_node() const { return param_; }
    Node* return_node() const { return return_; }
    const std::vector<Value*>& inputs() const { return param_->outputs(); }
    const std::vector<Value*>& outputs() const { return return_->inputs(); }

    Value* add_input(const std::string& name = {});
    Value* insert_input(std::size_t i, const std::string& name = {});
    void erase_input(std::size_t i) { param_->erase_output(i); }
    std::size_t add_output(Value* value);
    std::size_t insert_output(std::size_t i, Value* value);
    void replace_output(std::size_t i, Value* value) { return_->replace_input(i, value); }
    void erase_output(std::size_t i) { return_->remove_input(i); }

    Node* append(Node* node);
    Node* prepend(Node* node);
    // Copies the nodes of the other block to this block's end, and its parameters and results, through the map.
    // Values of outer blocks that the map lacks are used unchanged. keep_ids: see Graph::copy.
    void copy_from(const Block& other, ValueMap& map, bool keep_ids = false);
    bool is_inside(const Block* outer) const;  // or the same

  private:
    friend class Node;
    friend class Graph;
    friend class Parser;
    Block(Graph* graph, Node* owner);

    Graph* graph_;
    Node* owner_;
    Node* param_;
    Node* return_;
};

class Graph : public RefCounted {
  public:
    Graph();
    ~Graph() override;

    Block* block() const { return block_.get(); }
    NodeRange nodes() const { return block_->nodes(); }
    const std::vector<Value*>& inputs() const { return block_->inputs(); }
    const std::vector<Value*>& outputs() const { return block_->outputs(); }
    Value* add_input(const std::string& name = {}, TypePtr type = nullptr);
    std::size_t add_output(Value* value) { return block_->add_output(value); }
    Node* return_node() const { return block_->return_node(); }
    Node* param_node() const { return block_->param_node(); }

    // --- making nodes; they are in no block until inserted ---
    Node* create(Symbol kind, std::size_t outputs = 1) { return create(kind, {}, outputs); }
    Node* create(Symbol kind, std::span<Value* const> inputs, std::size_t outputs = 1);
    Node* create(Symbol kind, std::initializer_list<Value*> inputs, std::size_t outputs = 1) {
        return create(kind, std::span<Value* const>(inputs.begin(), inputs.size()), outputs);
    }
    // prim::Constant; its type is the value's (a tensor's with its shape facts), or the given one. Function constants:
    // see function.h.
    Node* create_constant(IValue value, TypePtr type = nullptr);
    // A copy of a node with its blocks; inputs through `map`.
    Node* create_copy(const Node& node, const std::function<Value*(Value*)>& map, bool copy_blocks = true,
                      bool keep_ids = false);

    // --- the insertion point: before a node ---
    Node* insert_point() const { return insert_before_; }
    void set_insert_point(Block* block) { insert_before_ = block->return_node(); }
    void set_insert_point(Node* before) { insert_before_ = before; }
    Node* insert(Node* node) { return node->insert_before(insert_before_); }
    Value* insert_constant(IValue value, TypePtr type = nullptr) {
        return insert(create_constant(std::move(value), std::move(type)))->output();
    }
    // A node of one output whose operator is found by kind and types; the output gets the schema's type.
    // Throws Error (Internal) when no overload fits.
    Value* insert_op(Symbol kind, std::initializer_list<Value*> inputs);

    // Defaults for the nodes that are created from now on.
    void set_current_range(SourceRange range) { current_range_ = std::move(range); }
    const SourceRange& current_range() const { return current_range_; }
    void set_current_scope(std::string scope) { current_scope_ = std::move(scope); }

    // With the same ids of nodes and values, so that the copy can be compared with the original.
    Ptr<Graph> copy() const;

    // Checks uses, links, positions, owners and dominance; throws Error (Internal) with the node at fault.
    void lint() const;
    // As PyTorch prints it; core/ir/printer.h has options.
    std::string str() const;
    // Of kinds, attributes, types, names and structure, not of ids: equal for graphs that print alike.
    std::uint64_t structural_hash() const;

    // For the pass manager: new nodes are attributed to this pass, so that provenance is traced through them to their
    // sources.
    void begin_pass() { first_id_of_pass_ = next_node_id_; }

    Value* value_by_name(std::string_view name) const;  // null when there is none
    void reserve_names(std::size_t values) { names_.reserve(values); }
    std::uint32_t next_node_id() const { return next_node_id_; }

  private:
    friend class Value;
    friend class Node;
    friend class Block;
    friend class OriginScope;
    friend class Parser;

    std::uint32_t next_node_id_ = 0;
    std::uint32_t first_id_of_pass_ = std::numeric_limits<std::uint32_t>::max();
    std::size_t next_value_id_ = 0;
    std::unordered_map<std::string_view, Value*> names_;  // the values' own texts
    std::unordered_map<std::string, std::size_t> name_suffixes_;
    std::unordered_set<Node*> loose_;  // nodes that are in no block
    std::unique_ptr<Block> block_;
    Node* insert_before_ = nullptr;
    SourceRange current_range_;
    std::string current_scope_;
    const Node* origin_ = nullptr;  // nodes made now take its metadata
    Provenance origin_provenance_;
};

// Sets the insertion point for a while.
class InsertPointScope {
  public:
    InsertPointScope(Graph& graph, Node* before) : graph_(graph), before_(graph.insert_point()) {
        graph.set_insert_point(before);
    }
    InsertPointScope(Graph& graph, Block* block) : InsertPointScope(graph, block->return_node()) {}
    InsertPointScope(const InsertPointScope&) = delete;
    InsertPointScope& operator=(const InsertPointScope&) = delete;
    ~InsertPointScope() { graph_.set_insert_point(before_); }

  private:
    Graph& graph_;
    Node* before_;
};

// In this scope new nodes of the graph derive from these nodes: range, scope and inlined calls of the first, and
// provenance of all. For passes: OriginScope scope(graph, {conv, batch_norm}, "FoldConvBatchnorm", "fold");
class OriginScope {
  public:
    OriginScope(Graph& graph, std::initializer_list<const Node*> nodes, std::string_view pass, std::string_view rule);
    OriginScope(const OriginScope&) = delete;
    OriginScope& operator=(const OriginScope&) = delete;
    ~OriginScope();

  private:
    Graph& graph_;
    const Node* origin_before_;
    Provenance provenance_before_;
};

// A tensor's type facts: dtype, sizes, strides, device.
TypePtr refined_type(const Tensor& tensor);

// The value of a prim::Constant node; nullopt for other nodes and for values of others.
std::optional<IValue> constant_of(const Node* node);
inline std::optional<IValue> constant_of(const Value* value) { return constant_of(value->node()); }
bool is_constant(const Value* value);
// A prim::Constant of type None.
bool is_none_constant(const Value* value);

}  // namespace loupe::ir
