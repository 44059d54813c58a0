// SPDX-License-Identifier: Apache-2.0
#pragma once
// Scripting of modules: a class for all modules that are alike, and a script module for each.

#include <map>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "core/nn/module.h"
#include "core/python/script/script_compiler.h"
#include "core/script/error.h"
#include "core/script/sugared_value.h"

namespace loupe::python {

// What loops and subscripts see of a module.
enum class ContainerKind : std::uint8_t { None, List, Dict, Parameters, ParameterDict };

// What a script class has beside its type.
struct ModuleClass final : public RefCounted {
    Ptr<ClassType> type;
    nn::ModulePtr example;  // the first module that it was made of; null for one that was a script module before
    ClassPtr cls;           // of that module
    ContainerKind container = ContainerKind::None;
    std::vector<std::pair<std::string, IValue>> constants;
    std::vector<std::pair<std::string, Ptr<ModuleClass>>> children;
    std::map<std::string, IValue, std::less<>> functions;
    std::map<std::string, std::string, std::less<>> failed;  // attributes without a type, and why

    const ModuleClass* child(std::string_view name) const;
    const IValue* constant(std::string_view name) const;
};
using ModuleClassPtr = Ptr<ModuleClass>;

class ScriptModules {
  public:
    explicit ScriptModules(ScriptCompiler& compiler) : compiler_(compiler) {}

    // The script module of a module, with its tensors; a script module is its own. Throws CompileError and PythonError.
    nn::ModulePtr script(const nn::ModulePtr& module);
    // Compiles a method when it is first called; false when the module's class has none of the name.
    bool add_method(ModuleClass& cls, std::string_view name);
    // The module that a script module was made of; null when there is none.
    nn::ModulePtr original(const nn::Module& script) const;
    const ModuleClass* find_class(const ClassType& type) const;
    ScriptCompiler& compiler() const { return compiler_; }

  private:
    ModuleClassPtr class_of(const nn::ModulePtr& module);
    ModuleClassPtr describe(const nn::ModulePtr& module, std::vector<ClassType::Attribute>& attributes);
    void describe_attribute(ModuleClass& cls, const std::string& name, const IValue& value, const IValue* annotation,
                            std::vector<ClassType::Attribute>& attributes);
    nn::ModulePtr instantiate(const nn::ModulePtr& module, const ModuleClassPtr& cls);
    void compile_methods(const ModuleClassPtr& cls);
    void compile(const Function& method);
    void add_hooks(const nn::Module& module, ModuleClass& cls);

    ScriptCompiler& compiler_;
    std::unordered_map<const void*, std::vector<ModuleClassPtr>> by_class_;
    std::unordered_map<const ClassType*, ModuleClassPtr> by_type_;
    std::unordered_map<const nn::Module*, nn::ModulePtr> scripted_;  // of the modules of one call of script
    std::unordered_map<const nn::Module*, nn::ModulePtr> originals_;
    std::vector<ModuleClassPtr> fresh_;         // not compiled yet
    std::vector<script::CompileError> errors_;  // of one call of script
};

// Is it a module of compiled code (scripted, traced, read from an archive)?
bool is_script_module(const IValue& value);
bool is_script_module(const nn::Module& module);

// `self` of a method, or a submodule.
script::SugaredPtr module_value(ScriptModules& modules, const ModuleClass& cls, ir::Value* value);

}  // namespace loupe::python
