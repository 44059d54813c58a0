// SPDX-License-Identifier: Apache-2.0
#pragma once
// Defining functions, classes, enums, named tuples and interfaces from source text. Graphs are compiled on first
// use.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/ir/compilation_unit.h"
#include "core/script/ast.h"
#include "core/script/builder.h"
#include "core/script/resolver.h"

namespace loupe::script {

// Runs on every graph when it was compiled: PyTorch's cleanup passes, which a later room has.
using GraphCleanup = std::function<void(ir::Graph&)>;

struct CompileOptions {
    std::int64_t operator_version = kCurrentOperatorVersion;
    GraphCleanup cleanup = nullptr;
};

// Defines all of a text, for programs that are written by hand rather than read from an archive: decorators are
// ignored, names are those of the text, Python's builtins, torch and math. prefix: of qualified names ("__torch__.m");
// may be empty. Throws CompileError; functions whose result is annotated are compiled at their first use only, and
// throw then.
void define(ir::CompilationUnit& unit, const std::shared_ptr<const ir::Source>& source, const CompileOptions& options,
            const std::string& prefix = {});

// --- parts, for importers ---

// A source and its tree, owned by all that may still be compiled.
struct ParsedSource {
    std::shared_ptr<const ir::Source> source;
    std::shared_ptr<const SyntaxTree> tree;
};
ParsedSource parse(const std::shared_ptr<const ir::Source>& source);

struct ClassExtras {
    std::vector<std::string> forward_hooks;
    std::vector<std::string> forward_pre_hooks;
    std::vector<std::pair<std::string, IValue>> constants;  // Final attributes
};

// Adds definitions to a unit. The resolver must outlive the unit's functions, or be owned by `resolver`.
class Definer {
  public:
    Definer(ir::CompilationUnit& unit, Ptr<Resolver> resolver, CompileOptions options)
        : unit_(unit), resolver_(std::move(resolver)), options_(std::move(options)) {}

    ir::ScriptFunction& define_function(const ParsedSource& parsed, const Def& def, const std::string& qualified_name);
    // A function without a unit. self_type: of a method's first parameter; null for others.
    Ptr<ir::ScriptFunction> make_function(const ParsedSource& parsed, const Def& def, const std::string& qualified_name,
                                          const TypePtr& self_type);
    // A class by its base: a module or plain class, NamedTuple, Enum, Interface. Returns null for an unknown
    // base.
    TypePtr define_class(const ParsedSource& parsed, const Class& definition, const std::string& qualified_name,
                         ClassExtras* extras = nullptr);

  private:
    TypePtr define_plain_class(const ParsedSource& parsed, const Class& definition, const std::string& qualified_name,
                               bool is_module, ClassExtras& extras);
    void add_attribute(const ParsedSource& parsed, const Assign& statement, ClassType& type, ClassExtras& extras,
                       const std::vector<std::string>& parameters, const std::vector<std::string>& buffers);
    void add_methods(const ParsedSource& parsed, const Class& definition, const Ptr<ClassType>& type,
                     const ClassExtras& extras);
    TypePtr define_named_tuple(const ParsedSource& parsed, const Class& definition, const std::string& qualified_name);
    TypePtr define_enum(const ParsedSource& parsed, const Class& definition, const std::string& qualified_name);
    TypePtr define_interface(const ParsedSource& parsed, const Class& definition, const std::string& qualified_name,
                             bool is_module);

    ir::CompilationUnit& unit_;
    Ptr<Resolver> resolver_;
    CompileOptions options_;
};

}  // namespace loupe::script
