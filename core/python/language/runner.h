// SPDX-License-Identifier: Apache-2.0
#pragma once
// Walks the tree of one frame's code. Its functions are in run_expressions.cpp, run_statements.cpp, run_calls.cpp,
// run_assignments.cpp, run_comprehensions.cpp and run_classes.cpp.

#include "core/python/language/frame.h"
#include "core/python/language/missing_name.h"
#include "core/python/language/operations.h"

namespace loupe::python {

// The operators that loops spend their time in, on ints and floats; false where the general way must be taken.
bool fast_binary(OperatorKind op, const IValue& a, const IValue& b, IValue& out);
// In a handler of C++: the exception that a program may catch; null for those it may not (stopping).
Ptr<ExceptionObject> current_exception();

class Runner {
  public:
    explicit Runner(Frame& frame) : frame_(frame) {}

    enum class Flow : std::uint8_t { Next, Break, Continue, Return };
    Flow run(script::Body body);
    IValue evaluate(const script::Expr* e);

    void assign(const script::Expr* target, IValue value);
    void bind_name(script::NameIndex index, std::string_view name, IValue value);
    // What bind_name gave the name in this scope; unbound() when it has no value.
    IValue bound_value(script::NameIndex index, std::string_view name) const;

  private:
    friend class ComprehensionRun;
    class TypeParamScope;

    // Statements.
    Flow run(const script::Stmt* s);
    Flow run_if(const script::If& s);
    Flow run_while(const script::While& s);
    Flow run_for(const script::For& s);
    Flow run_try(const script::Try& s);
    Flow run_guarded(const script::Try& s);
    Flow run_handlers(const script::Try& s, const Ptr<ExceptionObject>& raised);
    Flow run_handler(const script::ExceptHandler& handler, const Ptr<ExceptionObject>& raised);
    Flow run_match(const script::Match& s);
    Flow run_with(const script::With& s, std::size_t item);
    bool leave_with(const IValue& manager, const Ptr<ExceptionObject>& raised);
    template <typename Next>
    Flow run_loop(const script::For& s, Next next);
    void run_raise(const script::Raise& s);
    void run_assert(const script::Assert& s);
    void run_assign(const script::Assign& s);
    void run_augmented(const script::AugAssign& s);
    void run_annotation(const script::Assign& s);
    void run_def(const script::Def& s);
    void run_class(const script::Class& s);
    IValue evaluate_decorator(const script::Expr* decorator);
    IValue decorate(const IValue& decorator, std::string_view name, IValue decorated);
    void run_import(const script::Import& s);
    void run_import_from(const script::ImportFrom& s);
    // What is not found is a MissingName, unless the program catches that it is not.
    IValue import_or_missing(std::string_view name);
    template <typename Find>
    std::optional<IValue> found_or_failed(std::string_view name, std::string& failed, const Find& find);
    IValue import_name_or_missing(const IValue& module, const std::string& module_name, std::string_view name);
    IValue missing_import(std::string reason, std::string path, std::string_view hint, bool is_name);
    void tell_hook(const script::Stmt* s);

    // Targets.
    void assign_sequence(std::span<const script::Expr* const> targets, const IValue& value);
    void delete_target(const script::Expr* target);
    void delete_name(const script::Name& name);

    // Expressions.
    const IValue& read_name(const script::Name& name);
    IValue read_slow(NamePlace place, std::string_view name);
    [[noreturn]] void fail_unbound(NamePlace place, std::string_view name);
    IValue evaluate_binary(const script::Binary& e);
    IValue evaluate_chain(const script::Binary& e);
    IValue evaluate_right(const script::Binary& e, IValue left);
    IValue evaluate_comparison(const script::Comparison& e);
    IValue evaluate_unary(const script::Unary& e);
    IValue evaluate_call(const script::Call& e);
    const MissingName* deferred(const IValue& callee) const;
    IValue evaluate_attribute(const script::Attribute& e);
    IValue evaluate_subscript(const script::Subscript& e);
    IValue evaluate_key(const script::Subscript& e);
    IValue evaluate_slice(const script::Slice& e);
    IValue evaluate_joined(const script::JoinedString& e);
    IValue evaluate_dict(const script::Dict& e);
    IValue evaluate_set(const script::Set& e);
    IValue evaluate_lambda(const script::Lambda& e);
    IValue evaluate_yield(const script::Yield& e);
    IValue evaluate_comprehension(const script::Comprehension& e);
    std::vector<IValue> evaluate_all(std::span<const script::Expr* const> elements);
    CallArguments evaluate_arguments(const script::Call& e);
    void spread_keywords(const IValue& mapping, CallArguments& arguments);
    Ptr<FunctionObject> make_function(const void* node, std::span<const script::Param> params);

    Frame& frame_;
};

// One statement of an edited source, at the level of a module that has run, or of the body of a class that is made
// already: what it binds becomes the class's.
void run_in_module(Unit& unit, const script::Stmt* statement);
void run_in_class(Unit& unit, const Code& code, ClassObject& cls, const script::Stmt* statement);

}  // namespace loupe::python
