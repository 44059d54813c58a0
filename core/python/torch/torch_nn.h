// SPDX-License-Identifier: Apache-2.0
#pragma once
// The classes of torch.nn in the evaluator, one a layer record.

#include "core/nn/layer.h"
#include "core/python/language/class.h"

namespace loupe::python {

// torch.nn.Conv2d; null for a name that is no layer's.
ClassPtr layer_class(std::string_view name);
// The class of a module made by a program or by a layer's class; null for other objects, modules of compiled code too.
ClassPtr module_class_of(const IValue& object);
// What Sequential, ModuleList, ModuleDict, ParameterList and ParameterDict do as Python's containers.
void define_container_methods(ClassObject& cls);

// Those without self; what can be iterated over is a list: nn.ModuleList(Block() for _ in range(3)).
CallArguments container_arguments(CallArguments arguments);

}  // namespace loupe::python
