// SPDX-License-Identifier: Apache-2.0
#pragma once
// Resolves the free names of a source text.

#include <optional>
#include <string>
#include <string_view>

#include "core/script/sugared_value.h"

namespace loupe::script {

class Resolver : public RefCounted {
  public:
    // Null for an unknown name.
    virtual SugaredPtr resolve_value(Builder& builder, std::string_view name, Range range) = 0;
    // Of a qualified name; null when it names no type.
    virtual TypePtr resolve_type(std::string_view name) = 0;
    // "List" for another name of it in annotations ("t.List"); the name itself when it is none.
    virtual std::string constructor_name(std::string_view name) { return std::string(name); }
    // The default of a parameter of the compiled function, where it is known without its source.
    virtual std::optional<IValue> default_value(std::string_view /*parameter*/) { return std::nullopt; }
    // The value of a default that is no literal ("CONSTANTS.c0" of an archive); nullopt when unknown.
    virtual std::optional<IValue> constant(const Expr& /*expression*/) { return std::nullopt; }
    // The type of a parameter that is not annotated.
    virtual const TypePtr& type_of_unannotated() { return types::tensor(); }
    // The value of a method's `self`.
    virtual SugaredPtr self_value(ir::Value* self) { return simple(self); }
};

}  // namespace loupe::script
