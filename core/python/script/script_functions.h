// SPDX-License-Identifier: Apache-2.0
#pragma once
// Functions of a program as compiled code calls them.

#include "core/python/script/script_compiler.h"
#include "core/script/sugared_value.h"

namespace loupe::python {

// A function of the source: compiled for the call, kept outside (torch.jit.ignore), or an error when it is run
// (torch.jit.unused).
script::SugaredPtr function_value(ScriptCompiler& compiler, FunctionObject& function);
// The same of a method that is not compiled: self is given to it.
script::SugaredPtr external_method(ScriptCompiler& compiler, const IValue& self, FunctionObject& function);
// torch.X, torch.nn.functional.X, math.X: null for names that the module's own value says more of.
script::SugaredPtr library_name(std::string_view module, std::string_view name, script::Builder& builder,
                                script::Range range);
// Several functions under one name: the first whose parameters the arguments fit is called.
script::SugaredPtr overloaded_function(std::vector<ir::ScriptFunction*> functions);
// Calls with a compiler's error that tells who called.
script::SugaredPtr call_compiled(script::Builder& builder, ir::ScriptFunction& function, std::string_view name,
                                 script::NamedValues arguments, script::NamedValues keywords, script::Range range);

}  // namespace loupe::python
