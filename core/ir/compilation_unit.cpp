// SPDX-License-Identifier: Apache-2.0
#include "core/ir/compilation_unit.h"

#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe::ir {

CompilationUnit::~CompilationUnit() = default;

bool CompilationUnit::is_taken(std::string_view name) const {
    const std::string key(name);
    return functions_by_name_.contains(key) || types_by_name_.contains(key);
}

ScriptFunction& CompilationUnit::add_function(Ptr<ScriptFunction> function) {
    if (is_taken(function->qualified_name())) {
        throw Error(ErrorKind::Compile, concat("'", function->qualified_name(), "' is defined twice"));
    }
    ScriptFunction& added = *function;
    added.set_unit(this);
    functions_by_name_.emplace(added.qualified_name(), &added);
    functions_.push_back(std::move(function));
    return added;
}

ScriptFunction& CompilationUnit::add_method(ClassType& type, Ptr<ScriptFunction> method) {
    ScriptFunction& added = add_function(std::move(method));
    type.add_method(added.name(), &added);
    return added;
}

void CompilationUnit::add_alias(const std::string& qualified_name, ScriptFunction& function) {
    if (is_taken(qualified_name)) throw Error(ErrorKind::Compile, concat("'", qualified_name, "' is defined twice"));
    functions_by_name_.emplace(qualified_name, &function);
}

ScriptFunction* CompilationUnit::find_function(std::string_view qualified_name) const {
    const auto found = functions_by_name_.find(std::string(qualified_name));
    return found == functions_by_name_.end() ? nullptr : found->second;
}

void CompilationUnit::add_type(TypePtr type) {
    if (is_taken(type->name())) throw Error(ErrorKind::Compile, concat("class '", type->name(), "' already defined"));
    types_by_name_.emplace(type->name(), type);
    types_.push_back(std::move(type));
}

TypePtr CompilationUnit::find_type(std::string_view qualified_name) const {
    const auto found = types_by_name_.find(std::string(qualified_name));
    return found == types_by_name_.end() ? nullptr : found->second;
}

Ptr<ClassType> CompilationUnit::find_class(std::string_view qualified_name) const {
    const TypePtr type = find_type(qualified_name);
    const ClassType* found = type ? type->as<ClassType>() : nullptr;
    return Ptr<ClassType>(const_cast<ClassType*>(found));
}

const CompilationUnit::Constants& CompilationUnit::constants_of(const ClassType& type) const {
    static const Constants none;
    const auto found = constants_.find(&type);
    return found == constants_.end() ? none : found->second;
}

TypeResolver CompilationUnit::resolver() const {
    return [this](std::string_view name) { return find_type(name); };
}

std::string CompilationUnit::mangle(const std::string& qualified_name) {
    if (!is_taken(qualified_name)) return qualified_name;
    const auto dot = qualified_name.rfind('.');
    const std::string space = dot == std::string::npos ? std::string() : qualified_name.substr(0, dot + 1);
    const std::string last = dot == std::string::npos ? qualified_name : qualified_name.substr(dot + 1);
    std::string mangled;
    do {
        mangled = concat(space, "___torch_mangle_", mangle_index_++, ".", last);
    } while (is_taken(mangled));
    return mangled;
}

}  // namespace loupe::ir
