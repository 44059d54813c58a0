// SPDX-License-Identifier: Apache-2.0
// Making objects out of pickles. What a file names must be a class or function that the program has; only classes, the
// program's own functions and a few of Python's are called.
#include <algorithm>
#include <array>
#include <filesystem>

#include "core/autograd/variable.h"
#include "core/base/strings.h"
#include "core/nn/layer.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/evaluator_state.h"
#include "core/python/language/key_lookup.h"
#include "core/python/torch/layout_objects.h"
#include "core/python/torch/module_dict.h"
#include "core/python/torch/nn_module.h"
#include "core/python/torch/pickling.h"
#include "core/python/torch/torch_objects.h"

namespace loupe::python {
namespace {

// Names of Python 2, which protocol 2 uses.
std::string present_name(std::string_view name) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kRenamed = {
        {{"__builtin__.xrange", "builtins.range"},
         {"__builtin__.long", "builtins.int"},
         {"__builtin__.unicode", "builtins.str"},
         {"__builtin__.reduce", "functools.reduce"},
         {"exceptions.StandardError", "builtins.Exception"},
         {"copy_reg._reconstructor", "copyreg._reconstructor"}}};
    for (const auto& [old, now] : kRenamed) {
        if (name == old) return std::string(now);
    }
    for (const std::string_view old : {"__builtin__.", "exceptions."}) {
        if (name.starts_with(old)) return concat("builtins.", name.substr(old.size()));
    }
    return std::string(name);
}

// The module if the program has it or may import it.
std::optional<IValue> find_module(std::string_view name) {
    Evaluator& evaluator = *Evaluator::current();
    auto& state = evaluator.state();
    if (const auto found = state.modules.find(name); found != state.modules.end()) return found->second;
    const bool is_known = state.library.find(name) != nullptr || state.find_file(name);
    return is_known ? std::optional(evaluator.import_module(name)) : std::nullopt;
}

bool is_main(const Evaluator::State& state, std::string_view module) {
    if (module == "__main__" || module == state.options.main_name) return true;
    return state.main && state.main->source->file() &&
           std::filesystem::path(*state.main->source->file()).stem() == module;
}

std::optional<IValue> follow(std::optional<IValue> at, std::string_view path) {
    for (const auto part : split(path, '.')) {
        if (at) at = find_attribute(*at, part);
    }
    return at;
}

std::optional<IValue> in_main(const Evaluator::State& state, std::string_view path) {
    const std::size_t dot = path.find('.');
    auto found = state.main ? state.main->globals->find(path.substr(0, dot)) : std::nullopt;
    return dot == std::string_view::npos ? found : follow(found, path.substr(dot + 1));
}

// What a file may have called. Classes are made, functions of the program are its own.
bool may_call(const IValue& callable) {
    if (object_as<ClassObject>(callable) != nullptr) return true;
    const auto* function = object_as<FunctionObject>(callable);
    return function != nullptr && !function->unit->is_library;
}

const IValue* own_method(const ClassObject& cls, std::string_view name) {
    const IValue* found = cls.find(name);
    return found != nullptr && object_as<FunctionObject>(*found) != nullptr ? found : nullptr;
}

}  // namespace

IValue find_pickled_name(std::string_view written) {
    const std::string name = present_name(written);
    const auto& state = Evaluator::current()->state();
    std::size_t first_dot = name.find('.');
    for (std::size_t dot = name.rfind('.'); dot != std::string::npos && dot > 0; dot = name.rfind('.', dot - 1)) {
        const std::string_view module = std::string_view(name).substr(0, dot);
        const std::string_view path = std::string_view(name).substr(dot + 1);
        if (is_main(state, module)) {
            if (auto found = in_main(state, path)) return *found;
        } else if (const auto at = find_module(module)) {
            if (auto found = follow(at, path)) return *found;
            // torch.optim.sgd.SGD: a file of PyTorch that is no module here.
            const auto short_way = follow(at, path.substr(path.rfind('.') + 1));
            const auto* cls = short_way ? object_as<ClassObject>(*short_way) : nullptr;
            if (cls != nullptr && concat(cls->module(), ".", cls->qualified_name()) == name) return *short_way;
            throw_error("AttributeError", concat("Can't get attribute '", path, "' on ", repr(*at)));
        }
    }
    const std::string_view module = std::string_view(name).substr(0, first_dot);
    if (is_main(state, module)) {
        throw_error("AttributeError",
                    concat("Can't get attribute '", name.substr(first_dot + 1), "' on <module '__main__'>"));
    }
    const std::size_t last = name.rfind('.');
    throw_error("ModuleNotFoundError",
                concat("No module named '", last == std::string::npos ? name : name.substr(0, last), "'"));
}

IValue PythonUnpickler::make_global(const std::string& name) {
    // torch.tanh and Tensor.tanh as PyTorch's functions in C++ know themselves.
    if (name == "torch._C._VariableFunctionsClass" || name == "torch._C._VariableFunctions")
        return Evaluator::current()->import_module("torch");
    if (name == "torch._C._TensorBase" || name == "torch._C.TensorBase") return find_pickled_name("torch.Tensor");
    constexpr std::string_view kFunctions = "torch._C._nn.";
    if (name.starts_with(kFunctions))
        return find_pickled_name(concat("torch.nn.functional.", name.substr(kFunctions.size())));
    return find_pickled_name(name);
}

IValue PythonUnpickler::make_dtype(ScalarType dtype) { return dtype_object(dtype); }
IValue PythonUnpickler::make_size(IValue sizes) {
    Dims dims;
    for (const IValue& size : to_vector(sizes)) dims.push_back(size.to_int());
    return python::make_size(span_of(dims));
}
IValue PythonUnpickler::make_parameter(const Tensor& tensor, bool requires_grad) {
    return loupe::make_parameter(tensor, requires_grad);
}
IValue PythonUnpickler::make_layout(const std::string& name) {
    constexpr std::string_view kModule = "torch.";
    if (name.starts_with(kModule)) {
        if (auto layout = find_layout(std::string_view(name).substr(kModule.size()))) return *layout;
    }
    return NoClasses::make_layout(name);
}
IValue PythonUnpickler::make_bytes(std::string bytes) { return python::make_bytes(std::move(bytes)); }
IValue PythonUnpickler::make_set(std::vector<IValue> values) {
    return IValue::other(python::make_set(make_list(std::move(values))));
}
IValue PythonUnpickler::make_frozen_set(std::vector<IValue> values) {
    return IValue::other(python::make_set(make_list(std::move(values)), true));
}
IValue PythonUnpickler::make_ordered_dict(Ptr<DictObject> dict, const PickleNode* state, ValueBuilder& builder) {
    const IValue collections = Evaluator::current()->import_module("collections");
    const IValue out = python::call(get_attribute(collections, "OrderedDict"), CallArguments{});
    for (const auto& [key, value] : dict->entries()) set_key(out.to_dict(), key, value);
    if (state == nullptr || !state->is(PickleKind::Dict)) return out;
    const IValue attributes = builder.build(*state);
    for (const auto& [name, value] : attributes.to_dict().entries()) {
        if (name.is_string()) python::set_attribute(out, name.to_string(), value);
    }
    return out;
}

IValue PythonUnpickler::make_call(const PickleNode& node, const std::string& name, ValueBuilder& builder) {
    if (name == "torch.nn.parameter.UninitializedParameter" || name == "torch.nn.parameter.UninitializedBuffer") {
        const auto& arguments = node.call().args->elements();
        const bool requires_grad = !arguments.empty() && arguments[0]->is(PickleKind::Bool) && arguments[0]->to_bool();
        const Tensor data = empty(std::array<std::int64_t, 1>{0}, ScalarType::Float32);
        const Tensor made = name.ends_with("Buffer") ? data : loupe::make_parameter(data, requires_grad);
        uninitialized_.insert(made.impl());
        return made;
    }
    const IValue callable = builder.build(*node.call().callable);
    std::vector<IValue> arguments = to_vector(builder.build(*node.call().args));
    if (name == "builtins.getattr") {
        if (arguments.size() < 2 || !arguments[1].is_string())
            throw_type_error("getattr expected at least 2 arguments");
        const std::string& attribute = arguments[1].to_string();
        if (attribute == "_infer_parameters" || attribute == "_lazy_load_hook")
            return {};  // a lazy layer has them from its own
        return get_attribute(arguments[0], attribute);
    }
    const auto* cls = object_as<ClassObject>(callable);
    if (!may_call(callable) && name != "copyreg._reconstructor") {
        throw Error(ErrorKind::Unsupported,
                    concat("refers to ", "'", name.empty() ? repr(callable) : name, "'", ", which is not supported"));
    }
    if (cls != nullptr && cls == builtin_classes().type.get() && arguments.size() != 1)
        throw_type_error("a file makes no classes");
    return python::call(callable, std::move(arguments));
}

// The object as class.__new__ leaves it.
IValue PythonUnpickler::make_new(const PickleNode& node, ValueBuilder& builder) {
    const IValue made_class = builder.build(*node.call().callable);
    auto* cls = object_as<ClassObject>(made_class);
    if (cls == nullptr) throw_type_error(concat("a file makes an object of ", repr(made_class), ", which is no class"));
    CallArguments arguments{to_vector(builder.build(*node.call().args)), {}};
    const IValue* maker = cls->find("__new__");
    const auto* written = maker != nullptr ? object_as<MethodWrapper>(*maker) : nullptr;
    if (written != nullptr && object_as<FunctionObject>(written->function) != nullptr) {
        arguments.positional.insert(arguments.positional.begin(), made_class);
        return python::call(written->function, std::move(arguments));
    }
    if (cls->tuple_type) return python::call(made_class, std::move(arguments));
    IValue object = cls->make_instance()(*cls, arguments).instance;
    if (auto* module = dynamic_cast<nn::Module*>(object.is_object() ? object.object_pointer() : nullptr)) {
        for (const ClassObject* base : cls->mro()) {
            const nn::LayerRecord* record = base->is_builtin() ? nn::find_layer(base->name()) : nullptr;
            if (record == nullptr || record->base.empty()) continue;
            module->set_layer(*record);
            break;
        }
        module->construct();
    }
    return object;
}

IValue PythonUnpickler::make(const PickleNode& node, ValueBuilder& builder) {
    const PickleNode& callable = *node.call().callable;
    const std::string name = callable.is(PickleKind::Global) ? present_name(callable.global_name()) : std::string();
    // What PyTorch keeps to take hooks away again is made with the layer itself.
    if (name == "torch.utils.hooks.RemovableHandle" || name == "torch.nn.modules.module._WrappedHook") return {};
    const IValue object = node.is(PickleKind::Object) ? make_new(node, builder) : make_call(node, name, builder);
    builder.announce(node, object);
    fill(object, node, builder);
    return object;
}

void PythonUnpickler::fill(const IValue& object, const PickleNode& node, ValueBuilder& builder) {
    const PickleCall& call = node.call();
    for (const PickleRef element : call.elements) {
        IValue value = builder.build(*element);
        if (object.is_list())
            object.to_list().elements.push_back(std::move(value));
        else
            call_method(object, "append", {{std::move(value)}, {}});
    }
    for (std::size_t i = 0; i + 1 < call.items.size(); i += 2) {
        IValue key = builder.build(*call.items[i]);
        IValue value = builder.build(*call.items[i + 1]);
        if (object.is_dict())
            set_key(object.to_dict(), std::move(key), std::move(value));
        else
            set_item(object, key, std::move(value));
    }
    if (call.state != nullptr) set_state(object, builder.build(*call.state));
}

void set_object_state(const IValue& object, const IValue& state) { PythonUnpickler().set_state(object, state); }

void PythonUnpickler::set_state(const IValue& object, const IValue& state) {
    const ClassPtr cls = class_of(object);
    auto* module = dynamic_cast<nn::Module*>(object.is_object() ? object.object_pointer() : nullptr);
    if (own_method(*cls, "__setstate__") != nullptr) {
        call_method(object, "__setstate__", {{state}, {}});
        return;
    }
    if (state.is_tuple() && state.to_tuple().elements.size() == 2) {  // of a class with __slots__
        for (const IValue& part : state.to_tuple().elements) {
            if (part.is_dict()) set_state(object, part);
        }
        return;
    }
    if (!state.is_dict())
        throw_type_error(concat("the state of a ", cls->name(), " is a ", type_name(state), ", no dict"));
    if (module != nullptr) return restore_module(*module, state.to_dict());
    if (set_optimizer_state(object, state) || set_scheduler_state(object, state)) return;
    for (const auto& [name, value] : state.to_dict().entries()) {
        if (auto* instance = object_as<Instance>(object))
            instance->attributes.set(str(name), value);
        else
            python::set_attribute(object, str(name), value);
    }
}

namespace {

void restore_hooks(nn::Module& module, const IValue& hooks, const char* method) {
    if (!hooks.is_dict() || (module.layer() != nullptr && module.layer()->name.starts_with("Lazy"))) return;
    for (const auto& [id, hook] : hooks.to_dict().entries()) {
        if (!hook.is_none()) call_method(Ptr<Object>(&module), method, {{hook}, {}});
    }
}

bool holds(const IValue& set, const std::string& name) {
    const auto* names = object_as<SetObject>(set);
    return names != nullptr && names->has(IValue(name));
}

// The names in a parameter list or dict, which ours keeps as a list.
void restore_keys(nn::Module& module, const DictObject& state) {
    if (module.layer() == nullptr) return;
    const auto names = make_ptr<ListObject>(types::string());
    if (nn::is_derived(*module.layer(), "ParameterList")) {
        const IValue* size = find_key(state, IValue("_size"));
        for (std::int64_t i = 0; size != nullptr && i < to_index(*size); ++i)
            names->elements.emplace_back(std::to_string(i));
    } else if (nn::is_derived(*module.layer(), "ParameterDict")) {
        if (const IValue* keys = find_key(state, IValue("_keys"))) names->elements = to_vector(*keys);
    } else {
        return;
    }
    module.set_attribute("_keys", IValue(names));
}

}  // namespace

void PythonUnpickler::restore_module(nn::Module& module, const DictObject& state) {
    module.construct();
    const auto part = [&](const char* name) {
        const IValue* found = find_key(state, IValue(name));
        return found != nullptr ? *found : IValue();
    };
    const auto each = [&](const char* name, const auto& visit) {
        const IValue entries = part(name);
        if (!entries.is_dict()) return;
        for (const auto& [key, value] : entries.to_dict().entries()) visit(str(key), value);
    };
    const auto note = [&](const std::string& name, const Tensor& tensor) {
        if (tensor.defined() && uninitialized_.contains(tensor.impl())) module.set_uninitialized(name);
    };
    each("_parameters", [&](const std::string& name, const IValue& value) {
        module.register_parameter(name, value.to_tensor());
        note(name, value.to_tensor());
    });
    const IValue transient = part("_non_persistent_buffers_set");
    each("_buffers", [&](const std::string& name, const IValue& value) {
        module.register_buffer(name, value.to_tensor(), !holds(transient, name));
        note(name, value.to_tensor());
    });
    each("_modules",
         [&](const std::string& name, const IValue& value) { module.register_module(name, nn::as_module(value)); });
    for (const auto& [key, value] : state.entries()) {
        const std::string name = str(key);
        if (!is_module_internal(name)) module.set_attribute(name, value);
    }
    restore_keys(module, state);
    restore_hooks(module, part("_forward_pre_hooks"), "register_forward_pre_hook");
    restore_hooks(module, part("_forward_hooks"), "register_forward_hook");
    restore_hooks(module, part("_backward_hooks"), "register_full_backward_hook");
}

}  // namespace loupe::python
