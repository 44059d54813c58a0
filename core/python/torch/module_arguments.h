// SPDX-License-Identifier: Apache-2.0
#pragma once
// Arguments of the methods of torch.nn.Module.

#include "core/nn/module.h"
#include "core/value/callable.h"

namespace loupe::python {

// The module that a method was called on. Throws TypeError when it is none.
nn::Module& self_module(const IValue& self);
nn::Module& module_self(const CallArguments& arguments);
IValue module_value(nn::Module& module);
// Without self.
CallArguments behind_self(CallArguments arguments);
// torch.float32, torch.channels_last and generators as the engine knows them; other values as they are.
IValue engine_value(const IValue& value);
CallArguments engine_values(CallArguments arguments);

}  // namespace loupe::python
