// SPDX-License-Identifier: Apache-2.0
#pragma once
// What an evaluator keeps while its program is alive.

#include <map>
#include <string>
#include <typeindex>
#include <typeinfo>
#include <unordered_map>
#include <vector>

#include "core/python/language/evaluator.h"
#include "core/python/language/frame.h"
#include "core/python/language/tracked.h"

namespace loupe::python {

class Evaluator::State {
  public:
    State(const ModuleTable& modules_of_library, EvaluatorOptions given);
    const ModuleTable& library;  // what may be imported beside the program's own files
    StatementHook* hook = nullptr;
    std::int64_t recursion_limit = kRecursionLimit;
    EvaluatorOptions options;
    Ptr<TrackedList> tracked = make_ptr<TrackedList>();
    Ptr<ModuleNamespace> builtins;
    std::map<std::string, IValue, std::less<>> modules;
    IValue standard_output;  // what sys.stdout is at first
    std::vector<Ptr<Unit>> units;
    Ptr<Unit> main;
    // The classes of named tuples, by the type that their tuples carry.
    std::unordered_map<const Type*, ClassPtr> tuple_classes;
    std::string directory;  // of the main file
    // What a module of the library keeps of this program (the filters of `warnings`), made when it is first asked for.
    template <typename Part>
    Part& part() {
        Ptr<RefCounted>& held = parts_[std::type_index(typeid(Part))];
        if (!held) held = make_ptr<Part>();
        return static_cast<Part&>(*held);
    }
    // What the program gave foreign objects beside their own attributes, by their address; they are kept alive.
    struct GivenAttributes {
        IValue object;
        AttributeMap attributes;
    };
    std::unordered_map<const RefCounted*, GivenAttributes> given_attributes;

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

  private:
    std::map<std::type_index, Ptr<RefCounted>> parts_;
};

// Makes an evaluator the current one of this thread; null: none.
class EvaluatorScope {
  public:
    explicit EvaluatorScope(Evaluator* evaluator);
    ~EvaluatorScope();
    EvaluatorScope(const EvaluatorScope&) = delete;
    EvaluatorScope& operator=(const EvaluatorScope&) = delete;

  private:
    Evaluator* evaluator_before_;
    TrackedList* tracked_before_;
    const std::int64_t* limit_before_;
};

// The names that `from module import *` binds.
std::vector<std::pair<std::string, IValue>> exported_names(const IValue& module);

}  // namespace loupe::python
