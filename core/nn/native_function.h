// SPDX-License-Identifier: Apache-2.0
#pragma once
// Functions of PyTorch's Python side that are no operators (torch.nn.functional.interpolate,
// torch.nn.init.kaiming_uniform_): one record each, from which calls by name bind their arguments.

#include <span>
#include <string_view>

#include "core/dispatch/boxing.h"
#include "core/value/callable.h"
#include "core/value/schema.h"

namespace loupe::nn {

struct NativeFunction {
    // In schema syntax with PyTorch's parameter names and defaults: "interpolate(Tensor input, Any size=None, ...) ->
    // Tensor". "Any" is for arguments without a schema type (a number or a tuple, a callable).
    std::string_view schema;
    std::string_view summary;  // one sentence
    KernelFunction call;       // boxed<f>; one result, several as a tuple

    std::string_view name() const { return schema.substr(0, schema.find('(')); }
};

// Families export one array of records each; these list them all. Names are without the module's.
std::span<const NativeFunction* const> functional_records();  // torch.nn.functional
std::span<const NativeFunction* const> init_records();        // torch.nn.init

// Null for a name that is none's.
const NativeFunction* find_functional(std::string_view name);
const NativeFunction* find_init(std::string_view name);
const FunctionSchema& schema_of(const NativeFunction& function);
// Binds the arguments and calls. Throws Error (Run) with Python's messages.
IValue call_function(const NativeFunction& function, CallArguments arguments);
// The function as a value, for arguments of layers (activation=F.gelu).
IValue function_value(const NativeFunction& function);

}  // namespace loupe::nn
