// SPDX-License-Identifier: Apache-2.0
#pragma once
// Functions and methods in TorchScript: a schema and a graph that is compiled on first use.

#include <functional>
#include <string>

#include "core/ir/graph.h"
#include "core/value/schema.h"

namespace loupe::ir {

class CompilationUnit;

class ScriptFunction final : public Function {
  public:
    // Sets graph (and schema, when it was not declared) of its argument. Throws Error (Compile).
    using Compile = std::function<void(ScriptFunction&)>;

    ScriptFunction(std::string qualified_name, Compile compile);
    // From a graph. Without a schema, one is derived from the names and types of the graph's inputs and outputs.
    ScriptFunction(std::string qualified_name, Ptr<Graph> graph, std::optional<FunctionSchema> schema = std::nullopt);

    const std::string& qualified_name() const override { return qualified_name_; }
    // Compiles first when no schema was set.
    const FunctionSchema& schema() const override;
    bool has_schema() const { return schema_.has_value(); }
    // For typed declarations, before compiling: callers then need no body.
    void set_schema(FunctionSchema schema) { schema_ = std::move(schema); }

    // Compiles at the first call. Throws Error (Compile), also when compiling it needs its own graph ("function is
    // called recursively").
    const Ptr<Graph>& graph() const;
    bool is_compiled() const { return graph_ != nullptr; }
    // Replaces the graph (after passes); cached code is dropped.
    void set_graph(Ptr<Graph> graph);

    // The unit that owns it; null for a standalone function.
    CompilationUnit* unit() const { return unit_; }
    void set_unit(CompilationUnit* unit) { unit_ = unit; }

    // For the runtime: code made from the graph, dropped when the graph is set.
    const Ptr<RefCounted>& cached_code() const { return code_; }
    void set_cached_code(Ptr<RefCounted> code) const { code_ = std::move(code); }

  private:
    std::string qualified_name_;
    mutable std::optional<FunctionSchema> schema_;
    mutable Ptr<Graph> graph_;
    mutable Compile compile_;
    mutable bool compiling_ = false;
    mutable Ptr<RefCounted> code_;
    CompilationUnit* unit_ = nullptr;
};

// A native function that scripts call.
class ExternalFunction : public Function {
  public:
    // Throws Error (Run).
    virtual IValue call(std::vector<IValue> arguments) const = 0;
};

// The schema of a graph's inputs and outputs; a tuple output is one return.
FunctionSchema schema_of(const std::string& name, const Graph& graph);

// The type of a function used as a value. Prints "Function".
class FunctionType final : public Type {
  public:
    static constexpr TypeKind kKind = TypeKind::Function;
    explicit FunctionType(Function* target) : Type(kKind, {}, target->qualified_name()), target_(target) {}
    Function* target() const { return target_; }

  private:
    Function* target_;  // owned by its unit
};

// prim::Constant[name="f"]() of Function type, as prim::CallFunction takes it first.
Node* create_function_constant(Graph& graph, Function& function);
// The function behind such a value; null for other values.
Function* function_of(const Value* value);

}  // namespace loupe::ir
