// SPDX-License-Identifier: Apache-2.0
#include "core/python/torch/module_dict.h"

#include <algorithm>
#include <array>

#include "core/autograd/variable.h"
#include "core/nn/layer.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/evaluator_state.h"
#include "core/python/torch/torch_hooks.h"

namespace loupe::python {
namespace {

constexpr std::array<std::string_view, 21> kInternal = {
    "_parameters", "_buffers", "_non_persistent_buffers_set", "_backward_pre_hooks", "_backward_hooks",
    "_is_full_backward_hook", "_forward_hooks", "_forward_hooks_with_kwargs", "_forward_hooks_always_called",
    "_forward_pre_hooks", "_forward_pre_hooks_with_kwargs", "_state_dict_hooks", "_state_dict_pre_hooks",
    "_load_state_dict_pre_hooks", "_load_state_dict_post_hooks", "_modules",
    // Of lazy layers, of recurrent ones, and of those that choose a fast path.
    "_load_hook", "_initialize_hook", "_flat_weights", "_all_weights", "_flat_weight_refs"};

IValue ordered_dict() {
    const IValue collections = Evaluator::current()->import_module("collections");
    return call(get_attribute(collections, "OrderedDict"), CallArguments{});
}

bool is_of(const nn::Module& module, std::string_view layer) {
    return module.layer() != nullptr && nn::is_derived(*module.layer(), layer);
}

// None where nothing is registered under the name.
IValue named_entries(const nn::Module& module, AttributeKind kind) {
    const IValue out = ordered_dict();
    DictObject& dict = out.to_dict();
    if (kind == AttributeKind::Parameter && is_of(module, "MultiheadAttention")) {
        for (const char* name : {"in_proj_weight", "q_proj_weight", "k_proj_weight", "v_proj_weight"})
            dict.set(IValue(name), {});
    }
    if (kind == AttributeKind::Buffer && is_of(module, "FractionalMaxPool2d")) dict.set(IValue("_random_samples"), {});
    for (const auto& attribute : module.type()->attributes()) {
        if (attribute.kind == kind) dict.set(IValue(attribute.name), module.attribute(attribute.name));
    }
    return out;
}

IValue non_persistent(const nn::Module& module) {
    const auto out = make_ptr<SetObject>();
    for (const auto& attribute : module.type()->attributes()) {
        if (attribute.kind == AttributeKind::Buffer && !module.is_persistent(attribute.name))
            out->add(IValue(attribute.name));
    }
    return IValue::other(out);
}

IValue hooks_of(nn::Module& module, std::string_view name) {
    const IValue out = ordered_dict();
    if (const auto known = hook_dict(module, name)) {
        for (const auto& [id, hook] : known->to_dict().entries()) out.to_dict().set(id, hook);
    }
    return out;
}

// [["weight_ih_l0", ...], ...]: one list a layer and direction.
IValue weight_names(const nn::Module& module) {
    std::vector<IValue> all;
    std::vector<IValue> names;
    std::string ending;
    for (const auto& [name, tensor] : module.own_parameters()) {
        const std::string at = name.substr(name.find("_l"));
        if (at != ending && !names.empty()) all.push_back(make_list(std::exchange(names, {})));
        ending = at;
        names.emplace_back(name);
    }
    all.push_back(make_list(std::move(names)));
    return make_list(std::move(all));
}

void add_recurrent(const nn::Module& module, DictObject& dict) {
    std::vector<IValue> weights;
    for (const auto& [name, tensor] : module.own_parameters()) weights.emplace_back(tensor);
    dict.set(IValue("_flat_weights"), make_list(std::move(weights)));
    dict.set(IValue("_all_weights"), weight_names(module));
}

// A lazy layer takes its sizes in a hook and when it is loaded, and takes these hooks away afterwards.
void add_lazy(nn::Module& module, DictObject& dict) {
    const IValue self = Ptr<Object>(&module);
    const auto add = [&](const char* hooks, const char* method, const char* handle) {
        const IValue all = *dict.find(IValue(hooks));
        const auto id = static_cast<std::int64_t>(1'000'000 + all.to_dict().size());
        const IValue function = IValue::other(make_ptr<NativeCallable>(method, [](CallArguments) { return IValue(); }));
        all.to_dict().set(id, IValue::other(make_ptr<BoundMethod>(self, function)));
        dict.set(IValue(handle), IValue::other(make_ptr<PickledHandle>(make_tuple({all, id}))));
    };
    add("_load_state_dict_pre_hooks", "_lazy_load_hook", "_load_hook");
    add("_forward_pre_hooks", "_infer_parameters", "_initialize_hook");
}

// What a layer of PyTorch has beside what ours needs.
void add_of_layer(nn::Module& module, DictObject& dict) {
    if (module.layer() != nullptr && module.layer()->name.starts_with("Lazy") && module.has_uninitialized())
        add_lazy(module, dict);
    if (is_of(module, "RNNBase")) add_recurrent(module, dict);
    if (is_of(module, "MultiheadAttention")) {
        for (const char* name : {"bias_k", "bias_v"}) {
            if (module.find_attribute(name) == nullptr || module.attribute(name).is_none()) dict.set(IValue(name), {});
        }
    }
    if (is_of(module, "TransformerEncoderLayer")) {
        const auto* function = dynamic_cast<const Callable*>(
            module.attribute("activation").is_other() ? module.attribute("activation").object_pointer() : nullptr);
        const std::string activation = function != nullptr ? function->describe() : std::string();
        dict.set(IValue("activation_relu_or_gelu"), activation == "relu" ? 1 : activation == "gelu" ? 2 : 0);
    }
    const IValue* keys = module.find_attribute("_keys");
    if (keys == nullptr || !keys->is_list()) return;
    if (is_of(module, "ParameterList")) {
        dict.erase(IValue("_keys"));
        dict.set(IValue("_size"), static_cast<std::int64_t>(keys->to_list().elements.size()));
    } else if (is_of(module, "ParameterDict")) {
        const auto names = make_dict();
        for (const IValue& key : keys->to_list().elements) names->set(key, {});
        dict.set(IValue("_keys"), names);
    }
}

}  // namespace

bool is_module_internal(std::string_view name) { return std::ranges::find(kInternal, name) != kInternal.end(); }

std::optional<IValue> module_dict_entry(nn::Module& module, std::string_view name) {
    if (name == "_parameters") return named_entries(module, AttributeKind::Parameter);
    if (name == "_buffers") return named_entries(module, AttributeKind::Buffer);
    if (name == "_modules") return named_entries(module, AttributeKind::Module);
    if (name == "_non_persistent_buffers_set") return non_persistent(module);
    if (name == "_is_full_backward_hook") return module.hook_counts().backward > 0 ? IValue(true) : IValue();
    if (name == "_backward_hooks" || name == "_forward_hooks" || name == "_forward_pre_hooks" ||
        name == "_state_dict_hooks" || name == "_load_state_dict_pre_hooks" || name == "_load_state_dict_post_hooks") {
        return hooks_of(module, name);
    }
    return std::nullopt;
}

IValue module_dict(nn::Module& module) {
    const auto dict = make_dict();
    if (const IValue* training = module.find_attribute("training")) dict->set(IValue("training"), *training);
    for (const char* name : {"_parameters", "_buffers", "_non_persistent_buffers_set", "_backward_hooks",
                             "_is_full_backward_hook", "_forward_hooks", "_forward_pre_hooks", "_state_dict_hooks",
                             "_load_state_dict_pre_hooks", "_load_state_dict_post_hooks", "_modules"}) {
        dict->set(IValue(name), *module_dict_entry(module, name));
    }
    for (const auto& [name, value] : module.attributes()) dict->set(IValue(name), value);
    add_of_layer(module, *dict);
    return dict;
}

}  // namespace loupe::python
