// SPDX-License-Identifier: Apache-2.0
#pragma once
// What an evaluator keeps while its program is alive.

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/nn/module.h"
#include "core/python/language/frame.h"

namespace loupe::python {

// Everything of one program that can be part of a ring of references.
class TrackedList final : public RefCounted {
  public:
    void add(Tracked& tracked);
    static void remove(Tracked& tracked);
    void clear_all();

  private:
    Tracked* first_ = nullptr;
};

// Calls under way at most, as in CPython; sys.setrecursionlimit changes it. The stack of the thread is a limit too.
inline constexpr std::int64_t kRecursionLimit = 1000;

class Evaluator::State {
  public:
    explicit State(EvaluatorOptions given);
    StatementHook* hook = nullptr;
    std::int64_t recursion_limit = kRecursionLimit;
    EvaluatorOptions options;
    Ptr<TrackedList> tracked = make_ptr<TrackedList>();
    Ptr<ModuleNamespace> builtins;
    std::map<std::string, IValue, std::less<>> modules;
    IValue standard_output;             // what sys.stdout is at first
    std::vector<Ptr<Unit>> units;
    Ptr<Unit> main;
    // The classes of named tuples, by the type that their tuples carry.
    std::unordered_map<const Type*, ClassPtr> tuple_classes;
    std::string directory;  // of the main file
    Ptr<RefCounted> warnings;  // filters and what has been shown; the module `warnings`
    // Forward hooks by the module that they were registered on, for scripting, which compiles them.
    struct RegisteredHook {
        const nn::Module* module;
        bool is_pre_hook;
        IValue hook;
    };
    std::vector<RegisteredHook> hooks;
    // What torch.jit._overload was given, by the function's qualified name.
    std::map<std::string, std::vector<IValue>, std::less<>> overloads;
    Ptr<RefCounted> script;  // the ScriptCompiler, once something was scripted
    // What the program gave tensors beside their own attributes (p.tag = 1); they are kept alive.
    struct TensorAttributes {
        Tensor tensor;
        AttributeMap attributes;
    };
    std::unordered_map<const TensorImpl*, TensorAttributes> tensor_attributes;

    std::unordered_map<std::string, std::vector<std::string>> condition_names;  // names_in, by expression

    // The files that the program may touch; made when something first asks.
    FileSandbox& files();
    Ptr<FileSandbox> sandbox;

    // Parses a source, to be run.
    Ptr<Unit> add_unit(Evaluator& owner, const std::shared_ptr<const ir::Source>& source, std::string name);
    // `from module import name`: an attribute or a submodule.
    IValue import_name(const IValue& module, std::string_view module_name, std::string_view name);
    std::optional<IValue> load_module(Evaluator& owner, std::string_view name);
    // A file of that module's name beside the main one, or in the search paths.
    std::optional<std::string> find_file(std::string_view name);
};

// The names that `from module import *` binds.
std::vector<std::pair<std::string, IValue>> exported_names(const IValue& module);

// Modules that are written in Python: their text, or nothing for other names.
std::string_view library_source(std::string_view module);

}  // namespace loupe::python
