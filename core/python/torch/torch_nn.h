// SPDX-License-Identifier: Apache-2.0
#pragma once
// The classes of torch.nn in the evaluator, one a layer record.

#include "core/nn/layer.h"
#include "core/python/language/class.h"

namespace loupe::python {

// torch.nn.Conv2d; null for a name that is no layer's.
ClassPtr layer_class(std::string_view name);
// What Sequential, ModuleList, ModuleDict, ParameterList and ParameterDict do as Python's containers.
void define_container_methods(ClassObject& cls);

// The module that a method was called on. Throws TypeError when it is none.
nn::Module& self_module(const IValue& self);
nn::Module& module_self(const CallArguments& arguments);
IValue module_value(nn::Module& module);
// Without self.
CallArguments behind_self(CallArguments arguments);
// torch.float32, torch.channels_last and generators as the engine knows them; other values as they are.
IValue engine_value(const IValue& value);
CallArguments engine_values(CallArguments arguments);
// Those without self; what can be iterated over is a list: nn.ModuleList(Block() for _ in range(3)).
CallArguments container_arguments(CallArguments arguments);

}  // namespace loupe::python
