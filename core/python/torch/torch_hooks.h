// SPDX-License-Identifier: Apache-2.0
#pragma once
// Hooks of modules that call functions of a program.

#include "core/nn/module.h"
#include "core/python/language/operations.h"

namespace loupe::python {

// Forward hooks of a program in the order of their registration: scripting compiles them too.
struct RegisteredHooks final : RefCounted {
    struct Hook {
        const nn::Module* module;
        bool is_pre_hook;
        IValue hook;
    };
    std::vector<Hook> hooks;
};

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

struct ProgramBackwardHook {
    IValue hook;
    std::optional<TensorList> operator()(nn::Module& self, const TensorList& grad_inputs,
                                         const TensorList& grad_outputs) const;
};
struct ProgramBackwardPreHook {
    IValue hook;
    std::optional<TensorList> operator()(nn::Module& self, const TensorList& grad_outputs) const;
};

// hook(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs), with the module in front
// when asked for; what it changes in them is what load_state_dict goes on with.
struct ProgramLoadHook {
    IValue hook;
    bool with_module = false;
    void operator()(nn::Module& self, nn::Named<Tensor>& state, const std::string& prefix, bool strict,
                    nn::LoadReport& report) const;
};
// hook(module, state_dict, prefix, local_metadata).
struct ProgramStateHook {
    IValue hook;
    void operator()(nn::Module& self, nn::Named<Tensor>& state, const std::string& prefix) const;
};
// While it lives, such hooks find the metadata of this state.
class LoadingMetadata {
  public:
    explicit LoadingMetadata(IValue metadata);
    LoadingMetadata(const LoadingMetadata&) = delete;
    LoadingMetadata& operator=(const LoadingMetadata&) = delete;
    ~LoadingMetadata();

  private:
    IValue before_;
};

// Hooks of a module by number, as its attribute of that name has them: "_forward_pre_hooks", "_forward_hooks",
// "_backward_hooks", "_backward_pre_hooks"; nullopt for other names. Those in C++ stand as None.
std::optional<IValue> hook_dict(nn::Module& module, std::string_view name);

}  // namespace loupe::python
