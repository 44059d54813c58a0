// SPDX-License-Identifier: Apache-2.0
#pragma once
// What an evaluator keeps while its program is alive.

#include <map>
#include <string>
#include <typeindex>
#include <typeinfo>
#include <unordered_map>
#include <unordered_set>
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
    Ptr<DictObject> published_modules = make_ptr<DictObject>(types::any(), types::any());  // sys.modules
    void put_module(std::string_view name, const IValue& module);
    IValue standard_output;  // what sys.stdout is at first
    std::vector<Ptr<Unit>> units;
    Ptr<Unit> main;
    // The classes of named tuples, by the type that their tuples carry.
    std::unordered_map<const Type*, ClassPtr> tuple_classes;
    std::string directory;  // of the main file
    // The package that the main file is part of, by the __init__.py files above it; empty: none.
    std::string package_root;    // "timm"
    std::string package_folder;  // "/x/site-packages/timm"
    std::string package_name;    // of the main file in it: "timm.models.vit"
    // Where the package lies beside others, "/x/site-packages"; empty: it does not.
    std::string installed_folder;
    bool is_installed(std::string_view name);
    void find_package(const std::string& file);
    void publish_main();
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

    // What functions run whose source was edited while it ran, by what they were made of: see source_edit.h.
    struct EditedCode {
        Ptr<Unit> unit;
        const Code* code;
    };
    std::unordered_map<const Code*, EditedCode> edited;
    std::unordered_set<const Code*> made_model;  // what ran while the model was made

    std::unordered_map<std::string, std::vector<std::string>> condition_names;  // names_in, by expression

    // The files that the program may touch; made when something first asks.
    FileSandbox& files();
    Ptr<FileSandbox> sandbox;

    // Parses a source, to be run.
    Ptr<Unit> add_unit(Evaluator& owner, const std::shared_ptr<const ir::Source>& source, std::string name);
    // The module of that name; nullopt when there is none.
    std::optional<IValue> find_module(Evaluator& owner, std::string_view name);
    // `from module import name`: an attribute or a submodule; nullopt when it has none.
    std::optional<IValue> find_name(const IValue& module, std::string_view module_name, std::string_view name);
    // The file of a module of that name: in the main file's package, beside the main file, or in the search paths.
    std::optional<std::string> find_file(std::string_view name);

  private:
    std::optional<IValue> load_module(Evaluator& owner, std::string_view name);
    IValue load_package(Evaluator& owner, const std::string& name, const std::string& path);
    bool is_in_own_package(std::string_view name) const;
    bool has_folder(std::string_view name);
    std::map<std::type_index, Ptr<RefCounted>> parts_;
    std::map<std::string, bool, std::less<>> installed_;  // roots that were asked for
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
// "No module named 'x'", with what to use instead.
[[noreturn]] void throw_no_module(const Evaluator::State& state, std::string_view name);
[[noreturn]] void throw_no_name(std::string_view module, std::string_view name);

}  // namespace loupe::python
