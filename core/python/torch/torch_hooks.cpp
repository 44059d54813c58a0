// SPDX-License-Identifier: Apache-2.0
#include "core/python/torch/torch_hooks.h"

#include "core/base/strings.h"
#include "core/python/language/error.h"
#include "core/python/language/evaluator.h"
#include "core/python/language/key_lookup.h"
#include "core/python/torch/torch_autograd.h"
#include "core/python/torch/torch_data.h"
#include "core/python/torch/torch_module.h"

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

IValue gradient_tuple(const TensorList& gradients) {
    std::vector<IValue> out;
    for (const Tensor& gradient : gradients) out.push_back(gradient.defined() ? IValue(gradient) : IValue());
    return make_tuple(std::move(out));
}

thread_local IValue loading_metadata;

IValue dict_of_state(const nn::Named<Tensor>& state) {
    const IValue collections = Evaluator::current()->import_module("collections");
    const IValue out = call(get_attribute(collections, "OrderedDict"), CallArguments{});
    for (const auto& [name, tensor] : state) out.to_dict().set(name, tensor);
    return out;
}
void put_back(const IValue& dict, nn::Named<Tensor>& state) {
    state.clear();
    for (const auto& [name, value] : dict.to_dict().entries()) {
        if (name.is_string() && value.is_tensor()) state.emplace_back(name.to_string(), value.to_tensor());
    }
}
IValue text_list(const std::vector<std::string>& values) {
    return make_list(std::vector<IValue>(values.begin(), values.end()));
}
std::vector<std::string> texts_in(const IValue& list) {
    std::vector<std::string> out;
    for (const IValue& value : list.to_list().elements) out.push_back(str(value));
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
        throw_error("RuntimeError",
                    concat("forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got ",
                           repr(result), "."));
    }
    out.positional = to_vector(result.to_tuple().elements[0]);
    out.keywords.clear();
    for (const auto& [name, value] : result.to_tuple().elements[1].to_dict().entries())
        out.keywords.emplace_back(name.to_string(), value);
    return out;
}

std::optional<IValue> ProgramHook::operator()(nn::Module& self, const CallArguments& inputs,
                                              const IValue& output) const {
    std::vector<IValue> all = hook_arguments(self, inputs, with_kwargs);
    all.push_back(output);
    IValue result = call(hook, std::move(all));
    if (result.is_none()) return std::nullopt;
    return result;
}

std::optional<TensorList> ProgramBackwardHook::operator()(nn::Module& self, const TensorList& grad_inputs,
                                                          const TensorList& grad_outputs) const {
    const IValue result =
        call(hook, std::vector<IValue>{Ptr<Object>(&self), gradient_tuple(grad_inputs), gradient_tuple(grad_outputs)});
    if (result.is_none()) return std::nullopt;
    return tensors_of(result);
}

std::optional<TensorList> ProgramBackwardPreHook::operator()(nn::Module& self, const TensorList& grad_outputs) const {
    const IValue result = call(hook, std::vector<IValue>{Ptr<Object>(&self), gradient_tuple(grad_outputs)});
    if (result.is_none()) return std::nullopt;
    return tensors_of(result);
}

LoadingMetadata::LoadingMetadata(IValue metadata) : before_(std::exchange(loading_metadata, std::move(metadata))) {}
LoadingMetadata::~LoadingMetadata() { loading_metadata = std::move(before_); }

void ProgramLoadHook::operator()(nn::Module& self, nn::Named<Tensor>& state, const std::string& prefix, bool strict,
                                 nn::LoadReport& report) const {
    const IValue dict = dict_of_state(state);
    const IValue missing = text_list(report.missing_keys), unexpected = text_list(report.unexpected_keys),
                 errors = text_list(report.errors);
    const std::string path = prefix.empty() ? "" : prefix.substr(0, prefix.size() - 1);
    const IValue* known = loading_metadata.is_dict() ? find_key(loading_metadata.to_dict(), IValue(path)) : nullptr;
    std::vector<IValue> all{
        dict, IValue(prefix), known != nullptr ? *known : IValue(make_dict()), strict, missing, unexpected, errors};
    if (with_module) all.insert(all.begin(), IValue(Ptr<Object>(&self)));
    call(hook, std::move(all));
    put_back(dict, state);
    report.missing_keys = texts_in(missing);
    report.unexpected_keys = texts_in(unexpected);
    report.errors = texts_in(errors);
}

void ProgramStateHook::operator()(nn::Module& self, nn::Named<Tensor>& state, const std::string& prefix) const {
    const IValue dict = dict_of_state(state);
    const IValue result =
        call(hook, std::vector<IValue>{Ptr<Object>(&self), dict, IValue(prefix), IValue(make_dict())});
    put_back(result.is_dict() ? result : dict, state);
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
