// SPDX-License-Identifier: Apache-2.0
#pragma once
// The variables of the blocks that are being emitted, innermost first.
//
// A variable that holds a value is not bound to it here: assignments become prim::Store nodes and uses prim::Load
// nodes, and convert_to_ssa puts values in their place once all control flow is known. Only its type is kept. A
// variable that holds anything else (a method, a range) is bound here and cannot be reassigned in an inner block.

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/script/sugared_value.h"

namespace loupe::script {

class Environment {
  public:
    Environment(ir::Block* block, Environment* parent) : block_(block), parent_(parent) {}

    ir::Block* block() const { return block_; }

    // The variable's value, through a Load if it is a graph value; null for an unknown name.
    SugaredPtr get(Builder& builder, std::string_view name);
    // The type of a variable that holds a value, else null. Inserts nothing.
    TypePtr type_of(std::string_view name) const;
    bool has(std::string_view name) const;
    bool parent_has(std::string_view name) const { return parent_ != nullptr && parent_->has(name); }

    // Throws CompileError when the variable of an outer block cannot hold it.
    void set(Builder& builder, std::string_view name, SugaredPtr value, Range range, TypePtr annotation = nullptr);
    void set_type(std::string_view name, TypePtr type) { types_[name] = std::move(type); }
    // Removes it from all blocks; false when there was none.
    bool remove(std::string_view name);
    // Names of the values assigned in this block.
    std::vector<std::string_view> defined() const;

    // Why a name is not a variable although a branch assigned it, for the message when it is used.
    void set_reason(std::string_view name, std::string reason);
    const std::string* reason(std::string_view name) const;

  private:
    Environment& root();
    void check_parent(Builder& builder, std::string_view name, const SugaredPtr& value, Range range,
                      const TypePtr& annotation) const;

    ir::Block* block_;
    Environment* parent_;
    std::unordered_map<std::string_view, TypePtr> types_;
    std::unordered_map<std::string_view, SugaredPtr> values_;
    std::unordered_map<std::string_view, std::string> reasons_;  // of the root only
};

ir::Value* insert_load(Builder& builder, std::string_view name, const TypePtr& type);
ir::Node* create_store(ir::Graph& graph, std::string_view name, ir::Value* value);

}  // namespace loupe::script
