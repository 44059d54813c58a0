// SPDX-License-Identifier: Apache-2.0
// Calling a module: hooks around its forward.
#include "core/autograd/observer.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/nn/backward_hook.h"
#include "core/nn/layer.h"
#include "core/nn/module.h"
#include "core/nn/utils/checkpoint.h"

namespace loupe::nn {
namespace {

template <typename List>
auto all_hooks(const List& global, const List& own) {
    return global.snapshot().joined(own.snapshot());
}

// The state that connects the backward hooks of this call; null without such hooks.
Ptr<BackwardHookState> backward_state(Module& module, const ModuleHooks& own) {
    const ModuleHooks& global = global_hooks().call;
    const auto hooks = all_hooks(global.backward, own.backward);
    const auto pre_hooks = all_hooks(global.backward_pre, own.backward_pre);
    if (hooks.empty() && pre_hooks.empty()) return nullptr;
    const ModulePtr keep(&module);
    auto fire = [keep, hooks](const TensorList& grad_inputs, const TensorList& grad_outputs) {
        TensorList result = grad_inputs;
        for (const auto& entry : hooks) {
            if (auto replaced = entry.hook(*keep, result, grad_outputs)) result = std::move(*replaced);
        }
        return result;
    };
    auto fire_pre = [keep, pre_hooks](const TensorList& grad_outputs) {
        TensorList result = grad_outputs;
        for (const auto& entry : pre_hooks) {
            if (auto replaced = entry.hook(*keep, result)) result = std::move(*replaced);
        }
        return result;
    };
    return make_ptr<BackwardHookState>(std::move(fire), std::move(fire_pre));
}

}  // namespace

namespace {

// The modules being called on this thread, the innermost first.
class ActiveModule {
  public:
    explicit ActiveModule(Module& called) : module(called), outer(innermost) { innermost = this; }
    ActiveModule(const ActiveModule&) = delete;
    ActiveModule& operator=(const ActiveModule&) = delete;
    ~ActiveModule() { innermost = outer; }

    Module& module;
    ActiveModule* const outer;
    static thread_local ActiveModule* innermost;
};
thread_local ActiveModule* ActiveModule::innermost = nullptr;

// "layer1.0.conv1": from the outermost call to the innermost; the class of a module without a parent.
std::string path_of_active() {
    std::string path;
    for (const ActiveModule* at = ActiveModule::innermost; at != nullptr && at->outer != nullptr; at = at->outer) {
        for (const auto& [name, module] : at->outer->module.named_modules()) {
            if (module.get() != &at->module || name.empty()) continue;
            path = path.empty() ? name : concat(name, ".", path);
            break;
        }
    }
    return path.empty() && ActiveModule::innermost != nullptr ? ActiveModule::innermost->module.class_name() : path;
}

using ForwardHooks = decltype(ModuleHooks::forward)::Snapshot;

// run(), then the hooks, then finish(output). After an exception, always_call hooks that have not run yet run; their
// own exceptions are dropped.
template <typename Run, typename Finish>
IValue run_with_forward_hooks(Module& module, const CallArguments& arguments, const ForwardHooks& hooks, Run&& run,
                              Finish&& finish) {
    std::size_t next = 0;
    try {
        IValue output = run();
        while (next < hooks.size()) {
            if (auto replaced = hooks[next++].hook(module, arguments, output, false)) output = std::move(*replaced);
        }
        return finish(std::move(output));
    } catch (...) {
        while (next < hooks.size()) {
            try {
                hooks[next++].hook(module, arguments, IValue(), true);
            } catch (const Error&) {
                continue;
            }
        }
        throw;
    }
}

}  // namespace

IValue Module::call(std::vector<IValue> inputs) { return invoke({std::move(inputs), {}}); }

IValue Module::invoke(CallArguments arguments) {
    const DirectFrame frame(FrameInfo{.function = type_->name(), .module = this});
    const ActiveModule active(*this);
    // Values of computed attributes are cached for this call only.
    const struct Forget {
        std::vector<ComputedAttribute>& attributes;
        ~Forget() {
            for (ComputedAttribute& each : attributes) each.value = IValue();
        }
    } forget{computed_};
    try {
        if (!has_hooks()) return run_forward(std::move(arguments));
        return invoke_with_hooks(std::move(arguments),
                                 [this](CallArguments given) { return run_forward(std::move(given)); });
    } catch (Error& error) {
        if (error.context().scope.empty() && error.kind() != ErrorKind::Cancelled)
            error.add_context({.scope = path_of_active()});
        throw;
    }
}

IValue Module::run_forward(CallArguments arguments) {
    if (forward_) return forward_(*this, std::move(arguments));
    if (layer_ != nullptr && has_forward(*layer_)) return call_forward(*this, *layer_, std::move(arguments));
    throw Error(ErrorKind::Run, concat("Module [", class_name(), "] is missing the required \"forward\" function"));
}

void Module::set_forward(ForwardFunction forward) {
    forward_ = [run = std::move(forward)](Module& self, CallArguments arguments) {
        return run(self, std::move(arguments.positional));
    };
}

bool Module::has_hooks() const {
    return hooks_.any_of_call() || global_hooks().call.any_of_call() || method(kAroundForward) != nullptr;
}

IValue Module::call_with_hooks(std::vector<IValue> inputs, const std::function<IValue(std::vector<IValue>)>& run) {
    if (!has_hooks()) return run(std::move(inputs));
    return invoke_with_hooks({std::move(inputs), {}},
                             [&run](CallArguments given) { return run(std::move(given.positional)); });
}

IValue Module::invoke_with_hooks(CallArguments arguments, const std::function<IValue(CallArguments)>& run) {
    const ModulePtr keep(this);
    if (const ForwardWithKeywords* around = method(kAroundForward))
        return ForwardWithKeywords(*around)(*this, std::move(arguments));
    const ModuleHooks& global = global_hooks().call;
    const bool is_plain =
        !global.any_of_call() && hooks_.forward_pre.empty() && hooks_.backward.empty() && hooks_.backward_pre.empty();
    if (is_plain) {
        return run_with_forward_hooks(
            *this, arguments, hooks_.forward.snapshot(), [&] { return run(arguments); },
            [](IValue output) { return output; });
    }
    Ptr<BackwardHookState> state;
    return run_with_forward_hooks(
        *this, arguments, all_hooks(global.forward, hooks_.forward),
        [&] {
            for (const auto& entry : all_hooks(global.forward_pre, hooks_.forward_pre)) {
                if (auto replaced = entry.hook(*this, arguments)) arguments = std::move(*replaced);
            }
            state = backward_state(*this, hooks_);
            if (state) arguments.positional = state->wrap_inputs(std::move(arguments.positional));
            return run(arguments);
        },
        [&](IValue output) { return state ? state->wrap_output(std::move(output)) : output; });
}

RemovableHandle Module::register_forward_pre_hook(ForwardPreHook hook, bool prepend) {
    return hooks_.forward_pre.add(
        [hook = std::move(hook)](Module& self, const CallArguments& given) -> std::optional<CallArguments> {
            auto replaced = hook(self, given.positional);
            if (!replaced) return std::nullopt;
            return CallArguments{std::move(*replaced), given.keywords};
        },
        prepend);
}
RemovableHandle Module::register_forward_pre_hook(ForwardPreHookWithKeywords hook, bool prepend) {
    return hooks_.forward_pre.add(std::move(hook), prepend);
}
RemovableHandle Module::register_forward_hook(ForwardHook hook, bool prepend) {
    return hooks_.forward.add(
        [hook = std::move(hook)](Module& self, const CallArguments& given, const IValue& output,
                                 bool has_failed) -> std::optional<IValue> {
            if (has_failed) return std::nullopt;
            return hook(self, given.positional, output);
        },
        prepend);
}
RemovableHandle Module::register_forward_hook(ForwardHookWithKeywords hook, bool prepend) {
    return hooks_.forward.add(
        [hook = std::move(hook)](Module& self, const CallArguments& given, const IValue& output,
                                 bool has_failed) -> std::optional<IValue> {
            if (has_failed) return std::nullopt;
            return hook(self, given, output);
        },
        prepend);
}
RemovableHandle Module::register_always_called_forward_hook(ForwardHookWithKeywords hook, bool prepend) {
    return hooks_.forward.add([hook = std::move(hook)](Module& self, const CallArguments& given, const IValue& output,
                                                       bool) { return hook(self, given, output); },
                              prepend);
}
RemovableHandle Module::register_full_backward_hook(BackwardHook hook, bool prepend) {
    return hooks_.backward.add(std::move(hook), prepend);
}
RemovableHandle Module::register_full_backward_pre_hook(BackwardPreHook hook, bool prepend) {
    return hooks_.backward_pre.add(std::move(hook), prepend);
}
RemovableHandle Module::register_state_dict_pre_hook(StateDictPreHook hook) {
    return hooks_.state_dict_pre.add(std::move(hook));
}
RemovableHandle Module::register_state_dict_hook(StateDictHook hook) { return hooks_.state_dict.add(std::move(hook)); }
RemovableHandle Module::register_load_state_dict_pre_hook(LoadStateDictPreHook hook) {
    return hooks_.load_pre.add(std::move(hook));
}
RemovableHandle Module::register_load_state_dict_post_hook(LoadStateDictPostHook hook) {
    return hooks_.load_post.add(std::move(hook));
}
Module::HookCounts Module::hook_counts() const {
    return {hooks_.forward_pre.size(), hooks_.forward.size(), hooks_.backward.size() + hooks_.backward_pre.size()};
}

GlobalHooks& global_hooks() {
    static GlobalHooks hooks;
    return hooks;
}
RemovableHandle register_global_forward_pre_hook(ForwardPreHook hook) {
    return global_hooks().call.forward_pre.add(
        [hook = std::move(hook)](Module& self, const CallArguments& given) -> std::optional<CallArguments> {
            auto replaced = hook(self, given.positional);
            if (!replaced) return std::nullopt;
            return CallArguments{std::move(*replaced), given.keywords};
        });
}
RemovableHandle register_global_forward_hook(ForwardHook hook) {
    return register_global_forward_hook(ForwardHookWithKeywords(
        [hook = std::move(hook)](Module& self, const CallArguments& given, const IValue& output) {
            return hook(self, given.positional, output);
        }));
}
RemovableHandle register_global_forward_hook(ForwardHookWithKeywords hook, bool always_call) {
    return global_hooks().call.forward.add(
        [hook = std::move(hook), always_call](Module& self, const CallArguments& given, const IValue& output,
                                              bool has_failed) -> std::optional<IValue> {
            if (has_failed && !always_call) return std::nullopt;
            return hook(self, given, output);
        });
}
RemovableHandle register_global_full_backward_hook(BackwardHook hook) {
    return global_hooks().call.backward.add(std::move(hook));
}
RemovableHandle register_global_full_backward_pre_hook(BackwardPreHook hook) {
    return global_hooks().call.backward_pre.add(std::move(hook));
}
RemovableHandle register_parameter_registration_hook(
    std::function<std::optional<Tensor>(Module&, const std::string&, const Tensor&)> hook) {
    return global_hooks().parameter_registration.add(std::move(hook));
}
RemovableHandle register_buffer_registration_hook(
    std::function<std::optional<Tensor>(Module&, const std::string&, const Tensor&)> hook) {
    return global_hooks().buffer_registration.add(std::move(hook));
}
RemovableHandle register_module_registration_hook(
    std::function<std::optional<ModulePtr>(Module&, const std::string&, const ModulePtr&)> hook) {
    return global_hooks().module_registration.add(std::move(hook));
}

}  // namespace loupe::nn
