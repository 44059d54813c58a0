// SPDX-License-Identifier: Apache-2.0
// The methods of torch.nn.Module in a model source, but for those that core/python/torch/nn_module.cpp gives it.

#include "core/base/strings.h"
#include "core/base/torch_release.h"
#include "core/dispatch/functions.h"
#include "core/python/language/arguments.h"
#include "core/python/language/error.h"
#include "core/python/language/evaluator_state.h"
#include "core/python/language/key_lookup.h"
#include "core/python/torch/module_arguments.h"
#include "core/python/torch/nn_module.h"
#include "core/python/torch/require_device.h"
#include "core/python/torch/torch_autograd.h"
#include "core/python/torch/torch_call.h"
#include "core/python/torch/torch_hooks.h"
#include "core/python/torch/torch_objects.h"
#include "core/python/torch/torch_tensor_methods.h"

namespace loupe::python {
namespace {

using Body = NativeCallable::Body;

IValue iterator_over(std::vector<IValue> values) { return IValue::other(iterate(make_list(std::move(values)))); }

// Values, or pairs of a name and a value.
template <typename T>
IValue named_values(const nn::Named<T>& named, bool with_names) {
    std::vector<IValue> out;
    for (const auto& [name, value] : named) {
        IValue each;
        if constexpr (std::is_same_v<T, Tensor>)
            each = value;
        else
            each = Ptr<Object>(value);
        out.push_back(with_names ? make_tuple({IValue(name), each}) : each);
    }
    return iterator_over(std::move(out));
}

nn::NameOptions name_options(const BoundArguments& given, std::size_t prefix, std::size_t recurse) {
    nn::NameOptions out;
    if (prefix > 0 && given.has(prefix)) out.prefix = str(given[prefix]);
    out.recurse = given.truth_or(recurse, true);
    return out;
}

IValue parameters(CallArguments arguments) {
    const BoundArguments given(arguments, "parameters", {"self", "recurse="});
    return named_values(self_module(given[0]).named_parameters(name_options(given, 0, 1)), false);
}
IValue named_parameters(CallArguments arguments) {
    const BoundArguments given(arguments, "named_parameters", {"self", "prefix=", "recurse="});
    return named_values(self_module(given[0]).named_parameters(name_options(given, 1, 2)), true);
}
IValue buffers(CallArguments arguments) {
    const BoundArguments given(arguments, "buffers", {"self", "recurse="});
    return named_values(self_module(given[0]).named_buffers(name_options(given, 0, 1)), false);
}
IValue named_buffers(CallArguments arguments) {
    const BoundArguments given(arguments, "named_buffers", {"self", "prefix=", "recurse="});
    return named_values(self_module(given[0]).named_buffers(name_options(given, 1, 2)), true);
}
IValue children(CallArguments arguments) { return named_values(module_self(arguments).named_children(), false); }
IValue named_children(CallArguments arguments) { return named_values(module_self(arguments).named_children(), true); }
IValue modules(CallArguments arguments) { return named_values(module_self(arguments).named_modules(), false); }
IValue named_modules(CallArguments arguments) {
    const BoundArguments given(arguments, "named_modules", {"self", "memo=", "prefix=", "remove_duplicate="});
    nn::NameOptions options;
    if (given.has(2)) options.prefix = str(given[2]);
    options.remove_duplicate = given.truth_or(3, true);
    return named_values(self_module(given[0]).named_modules(options), true);
}

IValue ordered_dict() {
    const IValue collections = Evaluator::current()->import_module("collections");
    return call(get_attribute(collections, "OrderedDict"), CallArguments{});
}

// The version of a module's class: the class's _version, or the layer's.
IValue version_of(nn::Module& module, int of_layer) {
    const ClassPtr cls = class_of(Ptr<Object>(&module));
    const IValue* own = cls ? cls->find("_version") : nullptr;
    return own != nullptr ? *own : IValue(static_cast<std::int64_t>(of_layer));
}

// state._metadata: {path: {"version": 1}}.
void put_versions(nn::Module& self, const std::string& prefix, const IValue& state, bool into) {
    if (container_class(state.to_dict()) == nullptr) return;  // a plain dict has no attributes
    auto metadata = find_attribute(state, "_metadata");
    if (into && !metadata) return;
    if (!metadata) {
        metadata = ordered_dict();
        set_attribute(state, "_metadata", *metadata);
    }
    const auto versions = self.state_versions();
    const auto modules = self.named_modules({.remove_duplicate = false});
    for (std::size_t i = 0; i < modules.size() && i < versions.size(); ++i) {
        const auto entry = make_dict();
        entry->set(IValue("version"), version_of(*modules[i].second, versions[i].second));
        const std::string path = concat(prefix, modules[i].first);
        const bool is_root = modules[i].first.empty() && !prefix.empty();
        metadata->to_dict().set(is_root ? prefix.substr(0, prefix.size() - 1) : path, IValue(entry));
    }
}

std::vector<std::pair<std::string, int>> versions_in(const IValue& state) {
    std::vector<std::pair<std::string, int>> out;
    const auto metadata = find_attribute(state, "_metadata");
    if (!metadata || !metadata->is_dict()) return out;
    for (const auto& [path, entry] : metadata->to_dict().entries()) {
        const IValue* version = entry.is_dict() ? find_key(entry.to_dict(), IValue("version")) : nullptr;
        if (path.is_string() && version != nullptr && version->is_int())
            out.emplace_back(path.to_string(), static_cast<int>(version->to_int()));
    }
    return out;
}

IValue state_dict(CallArguments arguments) {
    const BoundArguments given(arguments, "state_dict", {"self", "destination=", "prefix=", "keep_vars="});
    const std::string prefix = given.has(2) ? str(given[2]) : "";
    const bool into = given.has(1) && given[1].is_dict();
    const IValue out = into ? given[1] : ordered_dict();
    nn::Module& self = self_module(given[0]);
    for (const auto& [name, tensor] : self.full_state_dict(prefix, given.truth_or(3, false)))
        out.to_dict().set(name, tensor);
    put_versions(self, prefix, out, into);
    return out;
}

// Modules without extra state of their own have none.
[[noreturn]] void no_extra_state(const char* name) {
    throw_error("RuntimeError",
                concat("Reached a code path in Module.", name,
                       "() that should never be called. Please file an issue at "
                       "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml to report this bug."));
}
IValue get_extra_state(CallArguments) { no_extra_state("get_extra_state"); }
IValue set_extra_state(CallArguments) { no_extra_state("set_extra_state"); }

// What load_state_dict gives back.
class IncompatibleKeys final : public Instance {
  public:
    IncompatibleKeys(IValue missing, IValue unexpected)
        : Instance(own_class()), missing_(std::move(missing)), unexpected_(std::move(unexpected)) {}
    std::optional<IValue> find_attribute(std::string_view name) override {
        if (name == "missing_keys") return missing_;
        if (name == "unexpected_keys") return unexpected_;
        return Instance::find_attribute(name);
    }
    Ptr<Iterator> iterate() override { return python::iterate(make_tuple({missing_, unexpected_})); }
    std::string repr() override {
        if (!python::truth(missing_) && !python::truth(unexpected_)) return "<All keys matched successfully>";
        return concat("_IncompatibleKeys(missing_keys=", python::repr(missing_),
                      ", unexpected_keys=", python::repr(unexpected_), ")");
    }
    void clear_references() override {}

  private:
    static ClassPtr own_class() {
        static const ClassPtr cls = [] {
            const auto out =
                make_ptr<ClassObject>("_IncompatibleKeys", "torch.nn.modules.module", std::vector<ClassPtr>{});
            out->set_builtin(nullptr);
            return ClassPtr(out);
        }();
        return cls;
    }
    IValue missing_;
    IValue unexpected_;
};

IValue texts(const std::vector<std::string>& values) {
    return make_list(std::vector<IValue>(values.begin(), values.end()));
}

IValue load_state_dict(CallArguments arguments) {
    const BoundArguments given(arguments, "load_state_dict", {"self", "state_dict", "strict=", "assign="});
    if (!given[1].is_dict()) {
        throw_type_error(concat("Expected state_dict to be dict-like, got ", class_of(given[1])->repr(), "."));
    }
    nn::Named<Tensor> state;
    nn::Named<IValue> extra;
    for (const auto& [name, value] : given[1].to_dict().entries()) {
        if (!name.is_string()) continue;
        if (value.is_tensor())
            state.emplace_back(name.to_string(), value.to_tensor());
        else
            extra.emplace_back(name.to_string(), value);
    }
    nn::Module& self = self_module(given[0]);
    const bool strict = given.truth_or(2, true);
    const LoadingMetadata loading(find_attribute(given[1], "_metadata").value_or(IValue()));
    const nn::LoadReport report = with_python_errors([&] {
        return self.load_state_dict(state,
                                    nn::LoadOptions{strict, given.truth_or(3, false), versions_in(given[1]), extra});
    });
    return IValue::other(make_ptr<IncompatibleKeys>(texts(report.missing_keys), texts(report.unexpected_keys)));
}

// Through the children's own train(), which their classes may have replaced.
IValue train(CallArguments arguments) {
    const BoundArguments given(arguments, "train", {"self", "mode="});
    const IValue mode = given.value_or(1, true);
    if (!mode.is_bool()) throw_value_error("training mode is expected to be boolean");
    nn::Module& self = self_module(given[0]);
    self.set_attribute("training", mode);
    for (const auto& [name, child] : self.named_children())
        call_method(Ptr<Object>(child), "train", CallArguments{{mode}, {}});
    return given[0];
}
IValue eval(CallArguments arguments) {
    module_self(arguments);
    return call_method(arguments.positional[0], "train", CallArguments{{false}, {}});
}

IValue requires_grad_method(CallArguments arguments) {
    const BoundArguments given(arguments, "requires_grad_", {"self", "requires_grad="});
    self_module(given[0]).set_requires_grad(given.truth_or(1, true));
    return given[0];
}
IValue zero_grad(CallArguments arguments) {
    const BoundArguments given(arguments, "zero_grad", {"self", "set_to_none="});
    self_module(given[0]).zero_grad(given.truth_or(1, !is_older_torch()));
    return {};
}

IValue to(CallArguments arguments) {
    nn::Module& self = module_self(arguments);
    nn::ToOptions options;
    const auto take = [&](const IValue& value) {
        if (const auto dtype = dtype_of(value))
            options.dtype = dtype;
        else if (value.is_tensor())
            options.dtype = value.to_tensor().dtype(), options.device = value.to_tensor().device();
        else if (!value.is_none() && !value.is_bool())
            options.device = device_of(value);
    };
    for (std::size_t i = 1; i < arguments.positional.size(); ++i) take(arguments.positional[i]);
    for (const auto& [name, value] : arguments.keywords) {
        if (name == "memory_format")
            options.memory_format = engine_value(value).to_int();
        else
            take(value);
    }
    if (options.device) require_device(*options.device);
    if (options.dtype && !is_differentiable(*options.dtype)) {
        throw_type_error(
            concat("nn.Module.to only accepts floating point or complex dtypes, but got desired dtype=torch.",
                   dtype_name(*options.dtype)));
    }
    with_python_errors([&] { self.to(options); });
    return arguments.positional[0];
}
template <ScalarType Type>
IValue cast(CallArguments arguments) {
    nn::ToOptions options;
    options.dtype = Type;
    module_self(arguments).to(options);
    return arguments.positional[0];
}
IValue cpu(CallArguments arguments) {
    nn::ToOptions options;
    options.device = Device{};
    module_self(arguments).to(options);
    return arguments.positional[0];
}
IValue cuda(CallArguments arguments) {
    nn::ToOptions options;
    options.device = Device{DeviceType::Cuda, 0};
    if (arguments.positional.size() > 1 && !arguments.positional[1].is_none())
        options.device = device_of(arguments.positional[1]);
    require_device(*options.device);
    with_python_errors([&] { module_self(arguments).to(options); });
    return arguments.positional[0];
}
IValue type_method(CallArguments arguments) {
    const BoundArguments given(arguments, "type", {"self", "dst_type"});
    auto dtype = dtype_of(given[1]);
    if (!dtype && given[1].is_string()) dtype = dtype_of_tensor_type(given[1].to_string());
    if (!dtype) throw_type_error(concat("invalid type: ", repr(given[1])));
    self_module(given[0]).to_type(*dtype);
    return given[0];
}

IValue apply(CallArguments arguments) {
    const BoundArguments given(arguments, "apply", {"self", "fn"});
    for (const auto& [name, child] : self_module(given[0]).named_children()) {
        call_method(Ptr<Object>(child), "apply", CallArguments{{given[1]}, {}});
    }
    call(given[1], std::vector<IValue>{given[0]});
    return given[0];
}

std::string name_given(const IValue& value, const char* what) {
    if (value.is_string()) return value.to_string();
    throw_type_error(concat(what, " name should be a string. Got ", torch_type_name(value)));
}

IValue register_parameter(CallArguments arguments) {
    const BoundArguments given(arguments, "register_parameter", {"self", "name", "param"});
    const std::string name = name_given(given[1], "parameter");
    const bool fits = given[2].is_none() || (given[2].is_tensor() && is_parameter(given[2].to_tensor()));
    if (!fits) {
        throw_type_error(concat("cannot assign '",
                                given[2].is_tensor() ? "torch.FloatTensor" : torch_type_name(given[2]),
                                "' object to parameter '", name, "' (torch.nn.Parameter or None required)"));
    }
    with_python_errors([&] { self_module(given[0]).register_parameter(name, given[2].to_tensor()); });
    return {};
}
IValue register_buffer(CallArguments arguments) {
    const BoundArguments given(arguments, "register_buffer", {"self", "name", "tensor", "persistent="});
    const std::string name = name_given(given[1], "buffer");
    if (!given[2].is_none() && !given[2].is_tensor()) {
        throw_type_error(concat("cannot assign '", torch_type_name(given[2]), "' object to buffer '", name,
                                "' (torch Tensor or None required)"));
    }
    with_python_errors(
        [&] { self_module(given[0]).register_buffer(name, given[2].to_tensor(), given.truth_or(3, true)); });
    return {};
}
IValue register_module(CallArguments arguments) {
    const BoundArguments given(arguments, "add_module", {"self", "name", "module"});
    const std::string name = name_given(given[1], "module");
    const nn::ModulePtr child = nn::as_module(given[2]);
    if (!child && !given[2].is_none()) throw_type_error(concat(torch_type_name(given[2]), " is not a Module subclass"));
    with_python_errors([&] { self_module(given[0]).register_module(name, child); });
    return {};
}

IValue get_submodule(CallArguments arguments) {
    const BoundArguments given(arguments, "get_submodule", {"self", "target"});
    return with_python_errors([&] { return IValue(Ptr<Object>(self_module(given[0]).submodule(str(given[1])))); });
}
IValue get_parameter(CallArguments arguments) {
    const BoundArguments given(arguments, "get_parameter", {"self", "target"});
    return with_python_errors([&] { return IValue(self_module(given[0]).get_parameter(str(given[1]))); });
}
IValue get_buffer(CallArguments arguments) {
    const BoundArguments given(arguments, "get_buffer", {"self", "target"});
    return with_python_errors([&] { return IValue(self_module(given[0]).get_buffer(str(given[1]))); });
}

IValue self_value(nn::Module& self) { return Ptr<Object>(&self); }

// Scripting compiles hooks too.
void remember_hook(const nn::Module& module, bool is_pre_hook, const IValue& hook) {
    if (Evaluator* evaluator = Evaluator::current())
        evaluator->state().part<RegisteredHooks>().hooks.push_back({&module, is_pre_hook, hook});
}

IValue register_forward_pre_hook(CallArguments arguments) {
    const BoundArguments given(arguments, "register_forward_pre_hook",
                               {"self", "hook", "*", "prepend=", "with_kwargs="});
    remember_hook(self_module(given[0]), true, given[1]);
    return handle_object(self_module(given[0]).register_forward_pre_hook(
        nn::ForwardPreHookWithKeywords(ProgramPreHook{given[1], given.truth_or(3, false)}), given.truth_or(2, false)));
}

IValue register_forward_hook(CallArguments arguments) {
    const BoundArguments given(arguments, "register_forward_hook",
                               {"self", "hook", "*", "prepend=", "with_kwargs=", "always_call="});
    nn::Module& self = self_module(given[0]);
    remember_hook(self, false, given[1]);
    const nn::ForwardHookWithKeywords hook = ProgramHook{given[1], given.truth_or(3, false)};
    return handle_object(given.truth_or(4, false)
                             ? self.register_always_called_forward_hook(hook, given.truth_or(2, false))
                             : self.register_forward_hook(hook, given.truth_or(2, false)));
}

IValue register_full_backward_hook(CallArguments arguments) {
    const BoundArguments given(arguments, "register_full_backward_hook", {"self", "hook", "prepend="});
    return handle_object(
        self_module(given[0]).register_full_backward_hook(ProgramBackwardHook{given[1]}, given.truth_or(2, false)));
}

IValue register_full_backward_pre_hook(CallArguments arguments) {
    const BoundArguments given(arguments, "register_full_backward_pre_hook", {"self", "hook", "prepend="});
    return handle_object(self_module(given[0]).register_full_backward_pre_hook(ProgramBackwardPreHook{given[1]},
                                                                               given.truth_or(2, false)));
}

IValue register_load_state_dict_pre_hook(CallArguments arguments) {
    const BoundArguments given(arguments, "_register_load_state_dict_pre_hook", {"self", "hook", "with_module="});
    return handle_object(
        self_module(given[0]).register_load_state_dict_pre_hook(ProgramLoadHook{given[1], given.truth_or(2, false)}));
}
IValue register_state_dict_hook(CallArguments arguments) {
    const BoundArguments given(arguments, "_register_state_dict_hook", {"self", "hook"});
    return handle_object(self_module(given[0]).register_state_dict_hook(ProgramStateHook{given[1]}));
}
IValue register_state_dict_pre_hook(CallArguments arguments) {
    const BoundArguments given(arguments, "register_state_dict_pre_hook", {"self", "hook"});
    return handle_object(self_module(given[0]).register_state_dict_pre_hook(
        [hook = given[1]](nn::Module& self, const std::string& prefix, bool keep_vars) {
            call(hook, std::vector<IValue>{self_value(self), IValue(prefix), keep_vars});
        }));
}
// What a class that defines its own calls by super(): the loader itself takes the tensors.
IValue load_nothing(CallArguments) { return {}; }

IValue register_load_state_dict_post_hook(CallArguments arguments) {
    const BoundArguments given(arguments, "register_load_state_dict_post_hook", {"self", "hook"});
    const IValue hook = given[1];
    return handle_object(
        self_module(given[0]).register_load_state_dict_post_hook([hook](nn::Module& self, nn::LoadReport& report) {
            const IValue keys =
                IValue::other(make_ptr<IncompatibleKeys>(texts(report.missing_keys), texts(report.unexpected_keys)));
            call(hook, std::vector<IValue>{self_value(self), keys});
        }));
}

IValue set_submodule(CallArguments arguments) {
    const BoundArguments given(arguments, "set_submodule", {"self", "target", "module", "strict="});
    const std::string target = str(given[1]);
    if (target.empty()) throw_value_error("Cannot set the submodule without a target name!");
    const auto dot = target.rfind('.');
    const nn::ModulePtr owner = with_python_errors(
        [&] { return self_module(given[0]).submodule(dot == std::string::npos ? "" : target.substr(0, dot)); });
    const nn::ModulePtr child = nn::as_module(given[2]);
    if (!child) throw_value_error(concat("`module` is not an nn.Module, found ", torch_type_name(given[2])));
    const std::string last = dot == std::string::npos ? target : target.substr(dot + 1);
    with_python_errors([&] { owner->set_attribute(last, given[2]); });
    return {};
}
// A source runs as it is written.
IValue nothing(CallArguments) { return {}; }
IValue extra_repr(CallArguments) { return IValue(""); }
IValue get_name(CallArguments arguments) { return module_self(arguments).class_name(); }
IValue itself(CallArguments arguments) { return arguments.positional.at(0); }

}  // namespace

void define_module_methods(ClassObject& module_class) {
    const std::pair<const char*, IValue (*)(CallArguments)> methods[] = {
        {"parameters", parameters},
        {"named_parameters", named_parameters},
        {"buffers", buffers},
        {"named_buffers", named_buffers},
        {"children", children},
        {"named_children", named_children},
        {"modules", modules},
        {"named_modules", named_modules},
        {"state_dict", state_dict},
        {"load_state_dict", load_state_dict},
        {"get_extra_state", get_extra_state},
        {"set_extra_state", set_extra_state},
        {"train", train},
        {"eval", eval},
        {"requires_grad_", requires_grad_method},
        {"zero_grad", zero_grad},
        {"to", to},
        {"float", cast<ScalarType::Float32>},
        {"double", cast<ScalarType::Float64>},
        {"half", cast<ScalarType::Float16>},
        {"bfloat16", cast<ScalarType::BFloat16>},
        {"cpu", cpu},
        {"cuda", cuda},
        {"type", type_method},
        {"apply", apply},
        {"register_parameter", register_parameter},
        {"register_buffer", register_buffer},
        {"register_module", register_module},
        {"add_module", register_module},
        {"get_submodule", get_submodule},
        {"get_parameter", get_parameter},
        {"get_buffer", get_buffer},
        {"register_forward_pre_hook", register_forward_pre_hook},
        {"register_forward_hook", register_forward_hook},
        {"register_full_backward_hook", register_full_backward_hook},
        {"register_backward_hook", register_full_backward_hook},
        {"register_full_backward_pre_hook", register_full_backward_pre_hook},
        {"register_load_state_dict_post_hook", register_load_state_dict_post_hook},
        {"_register_load_state_dict_pre_hook", register_load_state_dict_pre_hook},
        {"register_load_state_dict_pre_hook", register_load_state_dict_pre_hook},
        {"_register_state_dict_hook", register_state_dict_hook},
        {"register_state_dict_pre_hook", register_state_dict_pre_hook},
        {"register_state_dict_post_hook", register_state_dict_hook},
        {"set_submodule", set_submodule},
        {"compile", nothing},
        {"_load_from_state_dict", load_nothing},
        {"extra_repr", extra_repr},
        {"_get_name", get_name},
        {"share_memory", itself},
    };
    for (const auto& [name, method] : methods) module_class.define(name, Body(method));
}

}  // namespace loupe::python
