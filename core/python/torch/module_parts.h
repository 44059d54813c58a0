// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the modules of torch are put together of.

#include <string_view>

#include "core/python/language/object.h"

namespace loupe::python {

// The function, asked of an argument's class first where that has a __torch_function__ (torch.overrides).
NativeCallable::Body with_override(std::string name, NativeCallable::Body body);
// The function of the operator: looked up when it is first called.
IValue operator_function(std::string_view op_name, std::string_view shown_name);
// module.name = the module of that dotted name.
void define_submodule(PythonModule& module, std::string_view name, std::string_view full_name);
// A function that gives back its first argument.
IValue first_argument(CallArguments arguments);

}  // namespace loupe::python
