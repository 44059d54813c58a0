// SPDX-License-Identifier: Apache-2.0
#pragma once
// Hooks of modules that call functions of a program.

#include "core/nn/module.h"
#include "core/python/operations.h"

namespace loupe::python {

struct ProgramPreHook {
    IValue hook;
    bool with_kwargs = false;
    std::optional<CallArguments> operator()(nn::Module& self, const CallArguments& inputs) const;
};
struct ProgramHook {
    IValue hook;
    bool with_kwargs = false;
    std::optional<IValue> operator()(nn::Module& self, const CallArguments& inputs, const IValue& output) const;
};

// Hooks of a module by number, as its attribute of that name has them: "_forward_pre_hooks", "_forward_hooks",
// "_backward_hooks", "_backward_pre_hooks"; nullopt for other names. Those in C++ stand as None.
std::optional<IValue> hook_dict(nn::Module& module, std::string_view name);

}  // namespace loupe::python
