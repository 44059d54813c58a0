// SPDX-License-Identifier: Apache-2.0
#pragma once
// The code of an archive: code/__torch__/a/b.py holds the classes and functions "__torch__.a.b.NAME". Files are read
// when one of their names is first resolved, and graphs compiled on first use.

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/script/compile.h"

namespace loupe::script {

// The source of a qualifier ("__torch__.a.b"); null when the archive has no such file.
using SourceLoader = std::function<std::shared_ptr<const ir::Source>(const std::string& qualifier)>;

class SourceImporter final : public Resolver {
  public:
    // unit must outlive the importer: functions of the unit keep the importer alive. constants: CONSTANTS.c0, c1, ...
    SourceImporter(ir::CompilationUnit& unit, std::vector<IValue> constants, SourceLoader loader,
                   CompileOptions options);

    // A class, named tuple, enum or interface; null when there is none of the name. Throws CompileError, also for
    // classes that contain themselves.
    TypePtr find_type(const std::string& qualified_name);
    // Null when there is none.
    ir::ScriptFunction* find_function(const std::string& qualified_name);
    // Annotations of a class of this archive beside attributes and methods; empty for others.
    const ClassExtras& extras(const std::string& qualified_name) const;

    SugaredPtr resolve_value(Builder& builder, std::string_view name, Range range) override;
    std::optional<IValue> constant(const Expr& expression) override;
    TypePtr resolve_type(std::string_view name) override { return find_type(std::string(name)); }

    const std::vector<IValue>& constants() const { return constants_; }
    const ir::CompilationUnit& unit() const { return unit_; }

  private:
    struct Definition {
        ParsedSource parsed;
        const Stmt* statement;
    };
    // Deeper chains of classes with attributes of each other are rejected.
    static constexpr std::size_t kMaxClassNesting = 200;

    void load(const std::string& qualifier);
    // The definition of a name, once; null when this archive lacks it or it was returned before.
    const Definition* find_definition(const std::string& qualified_name);

    ir::CompilationUnit& unit_;
    std::vector<IValue> constants_;
    SourceLoader loader_;
    CompileOptions options_;
    std::unordered_set<std::string> loaded_;
    std::unordered_map<std::string, Definition> definitions_;
    std::unordered_set<std::string> defining_;
    std::unordered_map<std::string, ClassExtras> extras_;
};

}  // namespace loupe::script
