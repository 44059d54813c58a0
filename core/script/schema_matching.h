// SPDX-License-Identifier: Apache-2.0
#pragma once
// Calls by name: overload resolution, with PyTorch's implicit conversions, and the resulting node.

#include <span>
#include <string_view>
#include <vector>

#include "core/script/builder.h"
#include "core/value/schema.h"

namespace loupe::script {

struct CallArguments {
    NamedValues positional;
    NamedValues keywords = {};
    const NamedValue* self = nullptr;  // of a method: taken by the argument named "self"
};

// Values for all arguments of a schema, in order, converted and with defaults; types of its results.
struct MatchedCall {
    std::size_t schema = 0;  // index of the chosen one
    std::vector<ir::Value*> inputs;
    std::vector<TypePtr> results;
};

// Converts the value implicitly to the type when allowed; else returns the value itself, so check the type of the
// result.
// Conversions of numbers, tensors and devices need allow_conversions.
ir::Value* convert_to_type(Builder& builder, const TypePtr& type, ir::Value* value, bool allow_conversions,
                           Range range);

// Of one schema: allows conversions. Throws CompileError with the mismatch.
MatchedCall match_call(Builder& builder, const FunctionSchema& schema, const CallArguments& call, Range range);
// Of several: the first that fits without conversions of numbers, then the first that fits with them; among equals the
// most specific one. Throws CompileError that lists all.
MatchedCall match_calls(Builder& builder, std::span<const FunctionSchema* const> schemas, const CallArguments& call,
                        Range range);

// Inserts a node of the operator ("aten::add"), or the body of a function that PyTorch defines under that name, and
// returns its result: a tuple of several. An operator that the engine lacks becomes a node that fails when it is run.
ir::Value* call_builtin(Builder& builder, ir::Symbol name, const CallArguments& call, Range range);
// With positional arguments.
ir::Value* call_builtin(Builder& builder, ir::Symbol name, std::initializer_list<ir::Value*> arguments, Range range);
ir::Value* call_builtin(Builder& builder, std::string_view name, std::initializer_list<ir::Value*> arguments,
                        Range range);

// Could a value of the type be the self of some function of that name?
bool has_builtin_method(ir::Symbol name, const TypePtr& self);

}  // namespace loupe::script
