// SPDX-License-Identifier: Apache-2.0
#pragma once
// Overload resolution by types.

#include <optional>
#include <span>
#include <string>
#include <unordered_map>

#include "core/dispatch/registry.h"
#include "core/value/type.h"

namespace loupe::ir {

// Bindings of a schema's type variables ("t") in a call.
using TypeBindings = std::unordered_map<std::string, TypePtr>;

// Can an argument of the formal type take a value of the actual type, without conversion? Binds type variables.
bool match_type(const TypePtr& formal, const TypePtr& actual, TypeBindings& bindings);
// The type with its variables replaced; unbound ones stay.
TypePtr substitute(const TypePtr& type, const TypeBindings& bindings);
// Do all arguments, in order and complete, fit the schema?
bool match_schema(const FunctionSchema& schema, std::span<const TypePtr> arguments, TypeBindings& bindings);
// How much less specific the formal type is than the actual one, 0 when equal: "Scalar" for an int, "t" or "Any" for
// any.
int match_cost(const Type& formal, const Type& actual);
// The overload of the name that fits with the least cost, the first of those; null when there is none. results: how
// many it must have, where that is known: operators of ONNX have a form for each number.
const Operator* match_operator(std::string_view name, std::span<const TypePtr> arguments,
                               std::optional<std::size_t> results = std::nullopt);

}  // namespace loupe::ir
