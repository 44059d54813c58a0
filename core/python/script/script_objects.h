// SPDX-License-Identifier: Apache-2.0
#pragma once
// What torch.jit gives a program: modules and objects of compiled code.

#include "core/nn/module.h"
#include "core/python/language/class.h"

namespace loupe::python {

// torch.jit.RecursiveScriptModule: the class of modules of compiled code.
const ClassPtr& script_module_class();
// An attribute of an object of a compiled class; nullopt when it has none of the name.
std::optional<IValue> script_object_attribute(const IValue& object, std::string_view name);
// As PyTorch prints it: "RecursiveScriptModule(original_name=Net\n  (conv): ...".
std::string script_module_text(const nn::Module& module);

}  // namespace loupe::python
