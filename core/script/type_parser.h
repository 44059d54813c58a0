// SPDX-License-Identifier: Apache-2.0
#pragma once
// Type annotations and signatures.

#include <memory>
#include <optional>

#include "core/script/resolver.h"
#include "core/value/schema.h"

namespace loupe::script {

class TypeParser {
  public:
    TypeParser(Resolver& resolver, std::shared_ptr<const ir::Source> source)
        : resolver_(resolver), source_(std::move(source)) {}

    // Throws CompileError: "Unknown type name 'x'".
    TypePtr parse(const Expr& annotation) const;
    // The schema of a function; without its first parameter when skip_self. Parameters without annotation are Tensor;
    // returns is empty when the return type is not annotated.
    FunctionSchema parse_schema(const Def& def, bool skip_self) const;
    // A constant expression, as default values and class constants are; nullopt when it is none.
    std::optional<IValue> parse_constant(const Expr& expression, const Type* hint = nullptr) const;

  private:
    [[noreturn]] void fail(const std::string& message, const Expr& place_of) const;
    TypePtr parse_name(const Expr& expression) const;
    TypePtr parse_subscript(const Subscript& subscript) const;
    std::vector<TypePtr> parse_all(std::span<const Expr* const> expressions) const;
    std::optional<IValue> parse_constant_device(const Call& call) const;
    std::optional<IValue> parse_constant_list(const List& list, const Type* hint) const;
    std::optional<IValue> parse_constant_dict(const Dict& dict, const Type* hint) const;
    Argument parse_param(const Param& param) const;

    Resolver& resolver_;
    std::shared_ptr<const ir::Source> source_;
};

// "a.b.c" of nested attributes; nullopt for other expressions.
std::optional<std::string> dotted_name(const Expr& expression);

}  // namespace loupe::script
