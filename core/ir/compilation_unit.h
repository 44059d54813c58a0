// SPDX-License-Identifier: Apache-2.0
#pragma once
// Owns the functions, methods and named types of a program, by qualified name ("__torch__.M", "__torch__.M.forward").
//
// Types and graphs point to functions without owning them: the runner of a program holds its unit.

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/ir/function.h"

namespace loupe::ir {

class CompilationUnit : public RefCounted {
  public:
    ~CompilationUnit() override;

    // Throws Error (Compile) when the name is taken.
    ScriptFunction& add_function(Ptr<ScriptFunction> function);
    // Also makes it a method of the class, under the last part of its name.
    ScriptFunction& add_method(ClassType& type, Ptr<ScriptFunction> method);
    // An alias: a static method is a function that is called by its class.
    void add_alias(const std::string& qualified_name, ScriptFunction& function);
    ScriptFunction* find_function(std::string_view qualified_name) const;
    // In order of definition; methods too.
    const std::vector<Ptr<ScriptFunction>>& functions() const { return functions_; }

    // Classes, interfaces, enums and named tuples. Throws Error (Compile) when the name is taken.
    void add_type(TypePtr type);
    TypePtr find_type(std::string_view qualified_name) const;  // null when there is none
    // The same, mutable while it is compiled; null when there is none or it is no class.
    Ptr<ClassType> find_class(std::string_view qualified_name) const;
    const std::vector<TypePtr>& types() const { return types_; }
    // "k : Final[int] = 3": values that belong to a class of this unit rather than to its objects, in order.
    using Constants = std::vector<std::pair<std::string, IValue>>;
    void set_constants(const ClassType& type, Constants constants) { constants_[&type] = std::move(constants); }
    const Constants& constants_of(const ClassType& type) const;  // empty for a class without
    // Resolves the names of this unit's types, for parse_type.
    TypeResolver resolver() const;

    // The name itself when it is free, else "__torch__.___torch_mangle_3.M" as PyTorch mangles it.
    std::string mangle(const std::string& qualified_name);

  private:
    bool is_taken(std::string_view name) const;

    std::vector<Ptr<ScriptFunction>> functions_;
    std::unordered_map<std::string, ScriptFunction*> functions_by_name_;
    std::vector<TypePtr> types_;
    std::unordered_map<std::string, TypePtr> types_by_name_;
    std::unordered_map<const ClassType*, Constants> constants_;
    std::size_t mangle_index_ = 0;
};

}  // namespace loupe::ir
