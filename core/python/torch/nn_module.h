// SPDX-License-Identifier: Apache-2.0
#pragma once
// nn::Module objects in a program: their classes, attributes by torch.nn.Module's rules, calls with hooks.

#include "core/nn/module.h"
#include "core/python/language/class.h"

namespace loupe::python {

// torch.nn.Module.
const ClassPtr& nn_module_class();

std::optional<IValue> find_module_attribute(const IValue& module, ClassObject& cls, std::string_view name);
void set_module_attribute(const IValue& module, ClassObject& cls, std::string_view name, IValue value);
void delete_module_attribute(const IValue& module, ClassObject& cls, std::string_view name);
// copy.deepcopy of a module.
IValue copy_module(const IValue& module);
// module(...): pre hooks, forward, hooks.
IValue call_module(const IValue& module, ClassObject& cls, CallArguments arguments);
// torch_module_methods.cpp adds every method but those that nn_module.cpp defines (__init__, __call__, __repr__, ...).
void define_module_methods(ClassObject& module_class);

}  // namespace loupe::python
