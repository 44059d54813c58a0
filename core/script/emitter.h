// SPDX-License-Identifier: Apache-2.0
#pragma once
// Syntax tree to graph, as PyTorch's compiler does it: with loads and stores of variables, loops whose condition is a
// separate block, and return, break and continue as nodes. convert_to_ssa makes the final form of it.

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/script/environment.h"
#include "core/script/refinement.h"
#include "core/script/resolver.h"
#include "core/script/schema_matching.h"
#include "core/script/type_parser.h"

namespace loupe::script {

class Emitter {
  public:
    Emitter(Builder& builder, Resolver& resolver)
        : builder_(builder), graph_(builder.graph()), resolver_(resolver), types_(resolver, builder.source()) {}

    // Emits the function into the builder's graph and returns its schema. self_type: of a method's first parameter;
    // null for functions. Throws CompileError.
    FunctionSchema emit(const Def& def, const TypePtr& self_type);

  private:
    using Exprs = std::span<const Expr* const>;
    enum class LoopKind : std::uint8_t { None, Loop, Unrolled };
    struct Definition {
        TypePtr declared;  // return type; null when not annotated
        TypePtr merged;    // of the returns so far; null before the first
    };

    // --- emitter.cpp: definitions, frames, names ---
    FunctionSchema emit_def(const Def& def, const TypePtr& self_type, ir::Block* block);
    std::vector<Argument> emit_parameters(const Def& def, const FunctionSchema& declared, const TypePtr& self_type,
                                          ir::Block* block);
    void finish_returns(const Def& def, ir::Block* block);
    ir::Value* emit_closure(const std::function<void(ir::Block*)>& emit_body);
    void push_frame(ir::Block* block);
    std::unique_ptr<Environment> pop_frame();
    Environment& environment() { return *frames_.back(); }
    SugaredPtr lookup(std::string_view name, Range range);
    std::string_view temporary_name(std::string_view prefix);
    [[noreturn]] void fail(const std::string& message, Range range) const { builder_.fail(message, range); }

    // --- emitter_statements.cpp ---
    void emit_body(Body body);
    // Reports errors of later statements of a function too, unless they depend on the failed
    // one.
    void emit_function_body(Body body);
    bool emit_or_recover(const Stmt& statement, std::vector<CompileError>& errors,
                         std::set<std::string, std::less<>>& unknown);
    void emit_statement(const Stmt& statement);
    void emit_return(const Expr& value, Range range);
    void emit_raise(const Expr& exception, Range range);
    void emit_raise_of(SugaredPtr exception, Range range);
    void emit_assert(const Assert& statement);
    void emit_delete(const Delete& statement);
    void emit_with(const With& statement);
    void emit_jump(ir::Symbol kind, std::string_view name, Range range);
    void emit_nested_def(const Def& def);

    // --- emitter_assignments.cpp ---
    void emit_assign(const Assign& statement);
    void assign(const Expr& target, const Expr& value, const Expr* annotation, Range range);
    void assign_tuple(const Tuple& target, const SugaredPtr& value, Range value_range);
    void assign_targets(Exprs targets, std::span<const SugaredPtr> values, Range value_range);
    void assign_sugared(const Expr& target, const SugaredPtr& value, Range value_range);
    void assign_subscript(const Subscript& target, const NamedValue& value, Range range);
    bool check_targets(Exprs targets, Range range);
    void emit_augmented(const AugAssign& statement);
    ir::Value* augmented_value(const AugAssign& statement, ir::Value* value);
    void augment_subscript(const AugAssign& statement, const Subscript& target);
    void augment_item(const AugAssign& statement, const Subscript& target, ir::Value* container);
    NamedValue to_tensor(const NamedValue& value, ir::Value* like);

    // --- emitter_conditions.cpp ---
    Condition emit_condition(const Expr& expression);
    Condition emit_default_condition(const Expr& expression);
    Condition emit_logical(const Binary& expression);
    Condition emit_is_none(const Binary& expression);
    Condition emit_isinstance(const Expr& object, const Expr& classes);
    Condition emit_hasattr(const Expr& object, const Expr& name);
    ir::Value* emit_to_bool(ir::Value* value, Range range);
    void insert_refinements(const Refinements& refinements, Range range);
    ir::Value* emit_ternary(const Ternary& expression, const TypePtr& hint);
    ir::Value* emit_if_expression(const Condition& condition, const std::function<ir::Value*()>& if_true,
                                  const std::function<ir::Value*()>& if_false, Range range);
    void emit_if(const If& statement);
    void emit_branches(const Condition& condition, const std::function<void()>& if_true,
                       const std::function<void()>& if_false, Range range);
    std::unique_ptr<Environment> emit_branch(ir::Block* block, const Refinements& refinements,
                                             const std::function<void()>& body, Range range);
    void merge_branches(ir::Node* node, Environment& if_true, Environment& if_false, Range range);
    void merge_variable(std::string_view name, ir::Node* node, Environment& if_true, Environment& if_false,
                        Range range);
    bool is_defined_in(Environment& frame, std::string_view name);
    TypePtr load_type(Environment& frame, std::string_view name, Range range);

    // --- emitter_loops.cpp ---
    void emit_while(const While& statement);
    void emit_for(Exprs targets, Exprs iterables, const std::function<void()>& body, Range range);
    void emit_loop(const SugaredPtr& iterable, Exprs targets, const Expr* condition, const std::function<void()>& body,
                   Range range);
    void emit_unrolled(const SugaredPtr& iterable, Exprs targets, const std::function<void()>& body, Range range);
    ir::Value* emit_list_comprehension(const Expr& element, const Expr& target, const Expr& iterable,
                                       const TypePtr& hint, Range range);
    ir::Value* emit_dict_comprehension(const Expr& key, const Expr& value, const Expr& target, const Expr& iterable,
                                       const TypePtr& hint, Range range);

    // --- emitter_expressions.cpp ---
    ir::Value* emit_value(const Expr& expression, const TypePtr& hint = nullptr);
    SugaredPtr emit_sugared(const Expr& expression, const TypePtr& hint = nullptr);
    ir::Value* emit_simple(const Expr& expression, const TypePtr& hint);
    ir::Value* emit_number(const Number& number);
    ir::Value* emit_unary(const Unary& unary);
    ir::Value* emit_binary(const Binary& binary);
    ir::Value* emit_list(const List& list, const TypePtr& hint);
    ir::Value* emit_dict(const Dict& dict, const TypePtr& hint);
    ir::Value* shared_constant(IValue number, Range range);
    std::vector<NamedValue> emit_arguments(Exprs expressions, Range range);
    std::vector<ir::Value*> emit_values(Exprs expressions);
    TypePtr container_hint(TypeKind kind, const TypePtr& hint, const TypePtr& actual, Range range);

    // --- emitter_calls.cpp: calls and forms ---
    SugaredPtr emit_call(const Call& call, const TypePtr& hint);
    SugaredPtr emit_counted(const Sugared& callee, const Call& call);
    SugaredPtr emit_form(Form form, const Call& call, const TypePtr& hint);
    SugaredPtr emit_fork(const Call& call);
    SugaredPtr emit_annotate(const Call& call);
    SugaredPtr emit_unchecked_cast(const Call& call);
    SugaredPtr emit_getattr(const Call& call);
    SugaredPtr emit_tolist(const Call& call, const TypePtr& hint);
    SugaredPtr emit_create_object(const Call& call);
    SugaredPtr emit_enumerate(const Call& call);
    SugaredPtr emit_zip(const Call& call);
    SugaredPtr emit_list_form(const Call& call, const TypePtr& hint);
    SugaredPtr emit_dict_form(const Call& call, const TypePtr& hint);
    void check_argument_count(const Call& call, std::size_t count);

    // --- emitter_indexing.cpp ---
    SugaredPtr emit_subscript(const Subscript& subscript, const TypePtr& hint);
    ir::Value* emit_tensor_subscript(ir::Value* tensor, Exprs indices, Range range);
    // The tensor after ints, slices and None; and the tensors that are left to index with, by dimension.
    std::pair<ir::Value*, std::vector<ir::Value*>> emit_basic_indexing(ir::Value* tensor, Exprs indices, Range range);
    std::int64_t place_index(const Expr& index, std::size_t i, std::int64_t dimension, bool from_end,
                             std::vector<ir::Value*>& values, Range range);
    ir::Value* emit_slice(ir::Value* sliced, ir::Value* dimension, const Slice& slice, Range range);
    ir::Value* emit_tuple_index(ir::Value* tuple, ir::Value* index, Range range);
    ir::Value* emit_tuple_slice(ir::Value* tuple, const Slice& slice, Range range);
    SugaredPtr emit_static_slice(Sugared& sliced, const Slice& slice, Range range);
    std::vector<std::size_t> static_positions(std::size_t count, const Slice& slice, Range range);

    Builder& builder_;
    ir::Graph& graph_;
    Resolver& resolver_;
    TypeParser types_;
    std::vector<std::unique_ptr<Environment>> frames_;
    std::deque<Definition> definitions_;           // nested defs are added while one is used
    std::unordered_set<const ir::Block*> exited_;  // blocks that end in a return or an exception
    LoopKind loop_ = LoopKind::None;
    std::unordered_map<std::int64_t, ir::Value*> int_constants_;
    std::unordered_map<std::uint64_t, ir::Value*> float_constants_;  // by bits
    std::deque<std::string> temporary_names_;
};

}  // namespace loupe::script
