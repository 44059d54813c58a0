// SPDX-License-Identifier: Apache-2.0
#pragma once
// What runs: functions, their frames, the modules they belong to.

#include <boost/container/small_vector.hpp>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/cancel.h"
#include "core/python/language/class.h"
#include "core/python/language/error.h"
#include "core/python/language/namespace.h"
#include "core/python/language/scope.h"
#include "core/python/language/thread_state.h"
#include "core/script/ast.h"

namespace loupe::python {

class Evaluator;

// What a slot holds that has no value.
const IValue& unbound();
namespace detail {
extern RefCounted* const unbound_object;
}
inline bool is_unbound(const IValue& value) {
    return value.is_other() && value.object_pointer() == detail::unbound_object;
}

class Cell final : public RefCounted, public Tracked {
  public:
    explicit Cell(IValue held) : value(std::move(held)) {}
    IValue value;
    void clear_references() override { value = IValue(); }
    RefCounted* tracked_object() override { return this; }
};

class ModuleNamespace final : public Namespace, public GlobalSlots {
  public:
    explicit ModuleNamespace(const ModuleNamespace* builtins) : builtins_(builtins) {}
    std::uint32_t slot_of(std::string_view name) override;
    IValue& at(std::uint32_t slot) { return values_[slot]; }
    // The built-in of the slot's name; unbound when there is none.
    const IValue& builtin_at(std::uint32_t slot) const { return builtin_values_[slot]; }
    const std::string& name_at(std::uint32_t slot) const { return names_[slot]; }

    std::optional<IValue> find(std::string_view name) const override;
    void set(std::string_view name, IValue value) override;
    bool erase(std::string_view name) override;
    std::vector<std::pair<std::string, IValue>> entries() const override;
    void clear();

  private:
    const ModuleNamespace* builtins_;
    std::vector<std::string> names_;
    std::vector<IValue> values_;
    std::vector<IValue> builtin_values_;
    std::unordered_map<std::string, std::uint32_t> slots_;
};

// One source, ready to run.
class Unit final : public RefCounted {
  public:
    Unit(Evaluator* unit_owner, std::shared_ptr<const ir::Source> unit_source, std::string module_name,
         Ptr<ModuleNamespace> names);
    Evaluator* owner;  // null once the evaluator has ended
    const std::shared_ptr<const ir::Source> source;
    const std::string name;
    std::string package;  // what the dots of a relative import begin at; empty: the folder of the main file
    const Ptr<ModuleNamespace> globals;
    bool is_library = false;  // ours, not the user's: stepping does not go there
    std::shared_ptr<const script::SyntaxTree> tree;
    ScopeTable scopes;
    std::vector<IValue> constants;

    const Code& code_of(const void* node) const { return *scopes.codes.find(node)->second; }
};

class FunctionObject final : public PythonObject, public Tracked {
  public:
    FunctionObject(Ptr<Unit> function_unit, const Code& function_code);
    const Ptr<Unit> unit;
    const Code& code;
    std::vector<Ptr<Cell>> captured;
    std::vector<IValue> defaults;  // by parameter; unbound where there is none
    AttributeMap attributes;       // __name__, __doc__ when set, and others

    std::string type_name() const override { return "function"; }
    std::string describe() const override;
    std::optional<IValue> find_attribute(std::string_view name) override;
    void set_attribute(std::string_view name, IValue value) override;
    void delete_attribute(std::string_view name) override;
    std::string repr() override;
    IValue call(CallArguments arguments) override;
    void clear_references() override;
    RefCounted* tracked_object() override { return this; }

  private:
    IValue parameters() const;
};

class Generator;

class Frame {
  public:
    Frame(Unit& frame_unit, const Code& frame_code);
    Frame(const Frame&) = delete;
    Frame& operator=(const Frame&) = delete;

    Unit& unit;
    const Code& code;
    script::Range where;  // of what runs
    Frame* caller = nullptr;
    FunctionObject* function = nullptr;
    Generator* generator = nullptr;
    AttributeMap* class_names = nullptr;  // of a class body
    int import_guards = 0;                // try statements under way that catch ImportError
    IValue result;                        // of return
    Ptr<ExceptionObject> handled;         // by the innermost except or finally block of this frame
    boost::container::small_vector<IValue, 10> locals;
    boost::container::small_vector<Ptr<Cell>, 4> cells;

    ir::SourceRange place() const { return {unit.source, where.begin, where.end}; }
};

// Makes the frame the innermost one of this thread. Throws RecursionError when there are too many.
class FrameScope {
  public:
    explicit FrameScope(Frame& frame);
    ~FrameScope();
    FrameScope(const FrameScope&) = delete;
    FrameScope& operator=(const FrameScope&) = delete;

  private:
    Frame& frame_;
};

// Names that a function's frame can see as its own: parameters, locals, captured ones; module level: the globals.
std::optional<IValue> find_local(const Frame& frame, std::string_view name);
std::vector<std::pair<std::string, IValue>> locals_of(const Frame& frame);
// Where the program stands that this thread runs; empty when it runs none.
ir::SourceRange current_range();

// Runs the body of a function whose arguments stand in the frame's slots.
IValue run_body(Frame& frame);
// Calls with the arguments; throws TypeError where they do not fit the parameters.
IValue call_function(FunctionObject& function, CallArguments& arguments);
// `if __name__ == "__main__":` at module level, whose block is for a program that is started.
enum class ModulePart : std::uint8_t { All, WithoutMain, MainOnly };
// Runs a module's statements.
void run_module(Unit& unit, ModulePart part = ModulePart::All);
// Those of MainOnly one by one, until one has made that true.
void run_main_until(Unit& unit, const std::function<bool()>& is_enough);
// The value of the one expression that a unit is. Throws SyntaxError for other units.
IValue evaluate_module(Unit& unit);

}  // namespace loupe::python
