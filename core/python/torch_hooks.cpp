// SPDX-License-Identifier: Apache-2.0
#include "core/python/torch_hooks.h"

#include "core/base/strings.h"
#include "core/python/error.h"
#include "core/python/torch_module.h"

namespace loupe::python {
namespace {

IValue keyword_dict(const CallArguments& arguments) {
    const auto out = make_dict();
    for (const auto& [name, value] : arguments.keywords) out->set(name, value);
    return out;
}

std::vector<IValue> hook_arguments(nn::Module& self, const CallArguments& inputs, bool with_kwargs) {
    std::vector<IValue> out{Ptr<Object>(&self), make_tuple(inputs.positional)};
    if (with_kwargs) out.push_back(keyword_dict(inputs));
    return out;
}

template <typename List, typename Object>
IValue dict_of(const List& hooks, Object&& object_of) {
    const auto out = make_dict();
    for (const auto& entry : hooks.snapshot()) out->set(static_cast<std::int64_t>(entry.id), object_of(entry.hook));
    return out;
}

}  // namespace

std::optional<CallArguments> ProgramPreHook::operator()(nn::Module& self, const CallArguments& inputs) const {
    const IValue result = call(hook, hook_arguments(self, inputs, with_kwargs));
    if (result.is_none()) return std::nullopt;
    CallArguments out = inputs;
    if (!with_kwargs) {
        out.positional = result.is_tuple() ? result.to_tuple().elements : std::vector<IValue>{result};
        return out;
    }
    if (!result.is_tuple() || result.to_tuple().elements.size() != 2) {
        throw_error("RuntimeError", concat("forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got ",
                                           repr(result), "."));
    }
    out.positional = to_vector(result.to_tuple().elements[0]);
    out.keywords.clear();
    for (const auto& [name, value] : result.to_tuple().elements[1].to_dict().entries()) out.keywords.emplace_back(name.to_string(), value);
    return out;
}

std::optional<IValue> ProgramHook::operator()(nn::Module& self, const CallArguments& inputs, const IValue& output) const {
    std::vector<IValue> all = hook_arguments(self, inputs, with_kwargs);
    all.push_back(output);
    IValue result = call(hook, std::move(all));
    if (result.is_none()) return std::nullopt;
    return result;
}

std::optional<IValue> hook_dict(nn::Module& module, std::string_view name) {
    const nn::ModuleHooks& hooks = module.hooks();
    const auto nothing = [](const auto&) { return IValue(); };
    if (name == "_forward_pre_hooks") {
        return dict_of(hooks.forward_pre, [](const auto& hook) {
            if (const auto* own = hook.template target<ProgramPreHook>()) return own->hook;
            return pruning_hook_object(hook).value_or(IValue());
        });
    }
    if (name == "_forward_hooks") return dict_of(hooks.forward, nothing);
    if (name == "_backward_hooks") return dict_of(hooks.backward, nothing);
    if (name == "_backward_pre_hooks") return dict_of(hooks.backward_pre, nothing);
    return std::nullopt;
}

}  // namespace loupe::python
