// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which values may share memory, and which nodes write to it. Sets of values that may alias, one for all external
// values (inputs, attributes, calls); a container and its elements are in one set.

#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/ir/graph.h"

namespace loupe::passes {

// Is the type, or one that it contains, mutable?
bool is_mutable_type(const Type& type);

// The memory that a prim::GetAttr reads, when its object is known: equal pointers for values that share memory; null
// when unknown.
using AttributeIdentity = std::function<const void*(const ir::Node* get_attribute)>;

class AliasAnalysis {
  public:
    // Valid for the graph as it is now; values created later may alias any value. identity: attributes that it resolves
    // are separate memory, not in the set of external values.
    explicit AliasAnalysis(const ir::Graph& graph, AttributeIdentity identity = nullptr);

    bool may_alias(const ir::Value* a, const ir::Value* b) const;
    // Does any node of the graph write to memory that the value may alias?
    bool has_writers(const ir::Value* value) const;
    // The same for any input or output of the node.
    bool has_writers(const ir::Node* node) const;
    // Does the node, or a node in its blocks, write to memory that one of the values may alias?
    bool writes_to_alias(const ir::Node* node, const std::unordered_set<const ir::Value*>& values) const;
    bool writes_to_outside(const ir::Node* node) const;
    // Visible outside: through inputs, outputs or attributes.
    bool escapes(const ir::Value* value) const;
    // May uses of one's outputs be replaced by the other's, although this makes them alias?
    bool may_merge(const ir::Node* a, const ir::Node* b) const;

  private:
    std::size_t element_of(const ir::Value* value);
    std::size_t root_of(std::size_t element) const;
    bool knows(const ir::Value* value) const;
    std::size_t root_of(const ir::Value* value) const;  // 0 when unknown: outside
    void join(std::size_t a, std::size_t b);
    void join(const ir::Value* a, const ir::Value* b);
    void join_outside(const ir::Value* value);
    void write(const ir::Node* node, const ir::Value* value);
    void visit_block(const ir::Block& block);
    void visit(const ir::Node& node);
    void visit_schema(const ir::Node& node, const FunctionSchema& schema);
    void visit_unknown(const ir::Node& node);

    void visit_get_attribute(const ir::Node& node);

    AttributeIdentity identity_;
    std::unordered_map<const void*, const ir::Value*> first_read_;  // of each known attribute
    struct Element {
        std::size_t index = 0;
        std::size_t id = 0;  // of the value: a later one may reuse a destroyed one's address
    };
    std::unordered_map<const ir::Value*, Element> elements_;
    mutable std::vector<std::size_t> parents_;
    std::unordered_map<const ir::Node*, std::vector<std::size_t>> writes_;
    std::unordered_set<std::size_t> written_roots_;
    std::unordered_set<std::size_t> outside_roots_;
    std::unordered_set<std::size_t> escaping_roots_;
};

}  // namespace loupe::passes
