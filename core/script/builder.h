// SPDX-License-Identifier: Apache-2.0
#pragma once
// What writes into the graph of the function that is being compiled.

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/function.h"
#include "core/ir/graph.h"
#include "core/script/ast.h"
#include "core/script/error.h"

namespace loupe::script {

// An argument of a call: its place, its name (empty when positional) and its value.
struct NamedValue {
    Range range;
    std::string_view name;
    ir::Value* value = nullptr;
};
using NamedValues = std::span<const NamedValue>;

// The operator version of a program whose file does not say: none is replaced by an upgrader.
inline constexpr std::int64_t kCurrentOperatorVersion = 10;

class Builder {
  public:
    Builder(ir::Graph& graph, std::shared_ptr<const ir::Source> source, std::string function_name,
            std::int64_t operator_version)
        : graph_(graph),
          source_(std::move(source)),
          function_name_(std::move(function_name)),
          operator_version_(operator_version) {}

    ir::Graph& graph() const { return graph_; }
    const std::shared_ptr<const ir::Source>& source() const { return source_; }
    // "forward", without the qualifier.
    const std::string& function_name() const { return function_name_; }
    std::int64_t operator_version() const { return operator_version_; }

    ir::SourceRange place(Range range) const { return script::place(source_, range); }
    [[noreturn]] void fail(const std::string& message, Range range, ErrorKind kind = ErrorKind::Compile) const {
        throw CompileError(message, place(range), kind);
    }

    // --- nodes at the insertion point ---
    ir::Node* insert(ir::Symbol kind, std::span<ir::Value* const> inputs, std::size_t outputs = 1) {
        return graph_.insert(graph_.create(kind, inputs, outputs));
    }
    ir::Node* insert(ir::Symbol kind, std::initializer_list<ir::Value*> inputs, std::size_t outputs = 1) {
        return graph_.insert(graph_.create(kind, inputs, outputs));
    }
    ir::Value* constant(IValue value) { return graph_.insert_constant(std::move(value)); }
    ir::Value* constant(IValue value, Range range);
    ir::Value* list(const TypePtr& element, std::span<ir::Value* const> values);
    // Its type is made from the values when none is given.
    ir::Value* tuple(std::span<ir::Value* const> values, TypePtr type = nullptr);
    // The elements of a tuple: those it was made of, or the outputs of a TupleUnpack.
    std::vector<ir::Value*> unpack_tuple(ir::Value* value);
    ir::Value* unchecked_cast(ir::Value* value, const TypePtr& type);
    ir::Value* uninitialized(const TypePtr& type);
    ir::Value* get_attribute(ir::Value* object, const std::string& name, const TypePtr& type);
    void set_attribute(ir::Value* object, const std::string& name, ir::Value* value);
    ir::Value* tuple_index(ir::Value* value, ir::Value* index, const TypePtr& type);
    ir::Value* call_function(Function& function, std::span<ir::Value* const> inputs, const TypePtr& type);
    // The object is the first input.
    ir::Value* call_method(std::string_view name, std::span<ir::Value* const> inputs, const TypePtr& type);

  private:
    ir::Graph& graph_;
    std::shared_ptr<const ir::Source> source_;
    std::string function_name_;
    std::int64_t operator_version_;
};

// A number in the name of an attribute gets "_" before it in the name of its value.
std::string attribute_value_name(const std::string& name);
// Names such as "_12" are made up by the writer of an archive and are not kept as names of values.
bool is_meaningful_name(std::string_view name);

// Copies the nodes of a block to before a node of any graph, inputs through the map, to which their outputs are added.
// Values of outer blocks that the map does not know stand for themselves.
void copy_nodes_before(ir::Node* before, const ir::Block& block, ir::ValueMap& map);

// The type that both are of, or their Union.
TypePtr unify_or_union(const TypePtr& a, const TypePtr& b);
// Of one or more types.
TypePtr unify_or_union(std::span<const TypePtr> types);
// Of T for Optional[T], the type itself otherwise.
const TypePtr& without_optional(const TypePtr& type);
// Is it a tuple whose elements all fit the list, or the list?
bool is_convertible_to_list(const Type& type, const Type& list);
// The type of a parameter that is not annotated: a tensor, which messages call "Tensor (inferred)".
const TypePtr& inferred_tensor();
inline bool is_tensor(const TypePtr& type) { return type->kind() == TypeKind::Tensor; }

}  // namespace loupe::script
