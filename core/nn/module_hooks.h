// SPDX-License-Identifier: Apache-2.0
#pragma once
// The hooks of modules: those of one module and those of all (torch.nn.modules.module.register_module_*_hook).

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/autograd/node.h"
#include "core/value/callable.h"

namespace loupe::nn {

class Module;
using ModulePtr = Ptr<Module>;

template <typename T>
using Named = std::vector<std::pair<std::string, T>>;

// May return replacement inputs.
using ForwardPreHook =
    std::function<std::optional<std::vector<IValue>>(Module& self, const std::vector<IValue>& inputs)>;
using ForwardPreHookWithKeywords =
    std::function<std::optional<CallArguments>(Module& self, const CallArguments& arguments)>;
// May return a replacement output.
using ForwardHook =
    std::function<std::optional<IValue>(Module& self, const std::vector<IValue>& inputs, const IValue& output)>;
using ForwardHookWithKeywords =
    std::function<std::optional<IValue>(Module& self, const CallArguments& arguments, const IValue& output)>;
// May return replacement gradients of the inputs; undefined where there is none.
using BackwardHook = std::function<std::optional<TensorList>(Module& self, const TensorList& grad_inputs,
                                                             const TensorList& grad_outputs)>;
// May return replacement gradients of the outputs.
using BackwardPreHook = std::function<std::optional<TensorList>(Module& self, const TensorList& grad_outputs)>;

// The result of load_state_dict.
struct LoadReport {
    std::vector<std::string> missing_keys;
    std::vector<std::string> unexpected_keys;
    std::vector<std::string> errors;  // "size mismatch for fc.weight: copying a param with shape ..."
    bool is_clean() const { return missing_keys.empty() && unexpected_keys.empty() && errors.empty(); }
};

using StateDictPreHook = std::function<void(Module& self, const std::string& prefix, bool keep_vars)>;
// May change the module's collected state, whose names begin with prefix.
using StateDictHook = std::function<void(Module& self, Named<Tensor>& state, const std::string& prefix)>;
// Before the module's own names are looked up; may rename them in the state.
using LoadStateDictPreHook =
    std::function<void(Module& self, Named<Tensor>& state, const std::string& prefix, bool strict, LoadReport& report)>;
// After the module and its children; may take names out of the report.
using LoadStateDictPostHook = std::function<void(Module& self, LoadReport& report)>;

struct ModuleHooks {
    HookList<std::optional<CallArguments>(Module&, const CallArguments&)> forward_pre;
    // The last parameter: the forward or another hook has thrown; only hooks that are always called then run.
    HookList<std::optional<IValue>(Module&, const CallArguments&, const IValue&, bool)> forward;
    HookList<std::optional<TensorList>(Module&, const TensorList&, const TensorList&)> backward;
    HookList<std::optional<TensorList>(Module&, const TensorList&)> backward_pre;
    HookList<void(Module&, const std::string&, bool)> state_dict_pre;
    HookList<void(Module&, Named<Tensor>&, const std::string&)> state_dict;
    HookList<void(Module&, Named<Tensor>&, const std::string&, bool, LoadReport&)> load_pre;
    HookList<void(Module&, LoadReport&)> load_post;

    // Any that a call has to run.
    bool any_of_call() const {
        return !forward_pre.empty() || !forward.empty() || !backward.empty() || !backward_pre.empty();
    }
};

// Hooks of every module; they run before a module's own.
RemovableHandle register_global_forward_pre_hook(ForwardPreHook hook);
RemovableHandle register_global_forward_hook(ForwardHook hook);
RemovableHandle register_global_forward_hook(ForwardHookWithKeywords hook, bool always_call = false);
RemovableHandle register_global_full_backward_hook(BackwardHook hook);
RemovableHandle register_global_full_backward_pre_hook(BackwardPreHook hook);
// Called with the registered object and its name; may return a replacement.
RemovableHandle register_parameter_registration_hook(
    std::function<std::optional<Tensor>(Module& self, const std::string& name, const Tensor& parameter)> hook);
RemovableHandle register_buffer_registration_hook(
    std::function<std::optional<Tensor>(Module& self, const std::string& name, const Tensor& buffer)> hook);
RemovableHandle register_module_registration_hook(
    std::function<std::optional<ModulePtr>(Module& self, const std::string& name, const ModulePtr& child)> hook);

struct GlobalHooks {
    ModuleHooks call;
    HookList<std::optional<Tensor>(Module&, const std::string&, const Tensor&)> parameter_registration;
    HookList<std::optional<Tensor>(Module&, const std::string&, const Tensor&)> buffer_registration;
    HookList<std::optional<ModulePtr>(Module&, const std::string&, const ModulePtr&)> module_registration;
};
GlobalHooks& global_hooks();

}  // namespace loupe::nn
