// SPDX-License-Identifier: Apache-2.0
#pragma once
// torch.jit.script of what a program has made: functions, classes and modules become functions and types of a
// compilation unit, compiled from their source. Names that they use are looked up where Python would look them up.

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/ir/compilation_unit.h"
#include "core/nn/module.h"
#include "core/python/language/frame.h"
#include "core/script/compile.h"

namespace loupe::python {

// A value's type as scripting sees it, or why it has none.
struct InferredType {
    TypePtr type;  // null: none
    std::string reason;
};

class ScriptModules;
class ScriptLibrary;

class ScriptCompiler final : public RefCounted {
  public:
    ScriptCompiler();
    ~ScriptCompiler() override;
    // That of the evaluator that runs on this thread. Throws PythonError (RuntimeError) when none does.
    static ScriptCompiler& current();

    const Ptr<ir::CompilationUnit>& unit() const { return unit_; }
    ScriptModules& modules() { return *modules_; }
    ScriptLibrary& library() { return *library_; }
    static const script::CompileOptions& options();

    // Defined once; compiled when its graph is first wanted. Throws CompileError.
    ir::ScriptFunction& function(FunctionObject& function);
    // What torch.jit._overload declared for the function, each compiled with its body; empty without such declarations.
    std::vector<ir::ScriptFunction*> overloads(FunctionObject& function);
    // Of a method, which belongs to no unit yet. self_value: what `self` is; null: a value of the type.
    using SelfValue = std::function<script::SugaredPtr(ir::Value* self)>;
    Ptr<ir::ScriptFunction> make_method(FunctionObject& function, const std::string& qualified_name,
                                        const TypePtr& self_type, SelfValue self_value = nullptr);
    // The schema that a function of the source declares.
    FunctionSchema declared_schema(FunctionObject& function);

    // What annotations mean: int, List[int], a class of the program; null when it is no type.
    TypePtr annotated_type(const IValue& annotation);
    InferredType inferred_type(const IValue& value);
    // A user class, named tuple, enum or interface; null for other classes. Throws CompileError.
    TypePtr class_type(ClassObject& cls);
    // A class of the name that is being defined: its own name is not bound yet.
    ClassObject* class_under_way(std::string_view name) const;
    // The program's class behind a type; null when there is none.
    ClassPtr class_behind(const Type& type) const;

    // The value as the type has it. nullopt when it is none of that type.
    std::optional<IValue> to_script(const IValue& value, const TypePtr& type);
    // A result as the program sees it.
    IValue to_python(const IValue& value);

    // Modules that a trace made print themselves by their class's name.
    void note_traced(const nn::Module& module);
    bool is_traced(const nn::Module& module) const { return traced_types_.contains(module.type().get()); }

    // For what graphs point to.
    void keep(Ptr<RefCounted> object) { kept_.push_back(IValue::other(std::move(object))); }

    // What a value of the program is in compiled code. name: what messages call it. is_constant: numbers and strings
    // may be used as values.
    script::SugaredPtr sugared(const IValue& value, std::string_view name, bool is_constant);
    // "__torch__.f" of a function or class of the main module.
    std::string qualified_name(std::string_view module, std::string_view name) const;

  private:
    InferredType inferred_list_type(const IValue& value);
    InferredType inferred_tuple_type(const IValue& value);
    InferredType inferred_dict_type(const IValue& value);
    std::optional<IValue> to_script_container(const IValue& value, const TypePtr& type);
    TypePtr define_class(ClassObject& cls);
    TypePtr define_plain_class(ClassObject& cls);
    TypePtr define_named_tuple(ClassObject& cls);
    TypePtr define_enum(ClassObject& cls);
    TypePtr define_interface(ClassObject& cls);

    Ptr<ir::CompilationUnit> unit_;
    std::unordered_map<const FunctionObject*, ir::ScriptFunction*> functions_;
    std::unordered_map<const FunctionObject*, std::vector<ir::ScriptFunction*>> overloads_;
    std::unordered_map<const ClassObject*, TypePtr> classes_;
    std::unordered_map<const Type*, ClassPtr> classes_by_type_;
    std::vector<ClassObject*> defining_;
    std::set<const Type*> traced_types_;
    std::vector<IValue> kept_;  // what the tables point to
    std::unique_ptr<ScriptModules> modules_;
    Ptr<ScriptLibrary> library_;
};

// What torch.jit._overload was given in a program, by the function's qualified name.
struct DeclaredOverloads final : RefCounted {
    std::map<std::string, std::vector<IValue>, std::less<>> by_function;
};

// What @torch.jit.ignore, unused, export and interface leave in a function or class.
enum class ScriptMark : std::uint8_t { None, Ignore, Unused, Export };
ScriptMark script_mark(const IValue& function);
void set_script_mark(const IValue& function, ScriptMark mark);

// The function of the source in a value: bound or not, static; null for others.
FunctionObject* source_function(const IValue& value);
// "'int' object ..." and so on: a compiler's error as the exception that torch.jit.script raises.
[[noreturn]] void rethrow_compile_error(const Error& error);

}  // namespace loupe::python
