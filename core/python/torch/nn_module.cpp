// SPDX-License-Identifier: Apache-2.0
// torch.nn.Module and the modules that a program makes: the object is an nn::Module, its class one of the evaluator.
#include "core/python/torch/nn_module.h"

#include <algorithm>

#include "core/base/strings.h"
#include "core/base/typed_error.h"
#include "core/nn/layer.h"
#include "core/nn/module_text.h"
#include "core/python/language/arguments.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/evaluator_state.h"
#include "core/python/torch/module_arguments.h"
#include "core/python/torch/module_dict.h"
#include "core/python/torch/torch_call.h"
#include "core/python/torch/torch_hooks.h"

namespace loupe::python {
namespace {

std::string indented(std::string text) {
    for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 3))
        text.replace(at, 1, "\n  ");
    return text;
}

// As Module::str(), with the __repr__ of children that have one of their own.
std::string module_text(const nn::Module& module) {
    check_stack();
    std::vector<std::string> lines;
    const std::string extra = module.extra_repr();
    if (!extra.empty()) {
        for (const auto line : split(extra, '\n')) lines.emplace_back(line);
    }
    const std::size_t extra_lines = lines.size();
    std::vector<std::pair<std::string, std::string>> children;
    for (const auto& attribute : module.type()->attributes()) {
        if (attribute.kind == AttributeKind::Module)
            children.emplace_back(attribute.name, indented(repr(module.attribute(attribute.name))));
    }
    for (std::string& line : nn::lines_of_children(module, children)) lines.push_back(std::move(line));
    const std::string name = module.class_name();
    if (lines.empty()) return name + "()";
    if (lines.size() == 1 && extra_lines == 1) return concat(name, "(", lines[0], ")");
    return concat(name, "(\n  ", join(lines, "\n  "), "\n)");
}

nn::Module& module_of(const IValue& value) { return static_cast<nn::Module&>(*value.to_object()); }

// Errors of nn::Module as the exceptions that PyTorch raises there.
template <typename Work>
auto with_module_errors(Work&& work) {
    try {
        return work();
    } catch (const PythonError&) {
        throw;
    } catch (const Error& error) {
        const std::string& message = error.message();
        if (message.starts_with("cannot assign '")) throw_type_error(message);
        if (message.starts_with("cannot assign ") || message.find("has no attribute") != std::string::npos) {
            throw_error("AttributeError", message);
        }
        if (message.ends_with("already exists") || message.find("name can't") != std::string::npos) {
            throw_error("KeyError", message);
        }
        throw;
    }
}

IValue run_forward(nn::Module& module, CallArguments arguments) {
    const IValue self = Ptr<Object>(&module);
    const ClassPtr cls = class_of(self);
    if (const IValue* own = module.find_attribute("forward")) {  // set on this module alone
        const IValue keep = *own;
        return call(keep, std::move(arguments));
    }
    const IValue* forward = cls->find("forward");
    if (forward == nullptr) {
        throw_error("NotImplementedError",
                    concat("Module [", cls->name(), "] is missing the required \"forward\" function"));
    }
    const IValue bound = bind_attribute(*forward, &self, cls);
    return call(bound, std::move(arguments));
}

bool is_user_method(const ClassObject& cls, std::string_view name) {
    const IValue* found = cls.find(name);
    return found != nullptr && object_as<FunctionObject>(*found) != nullptr;
}

// Whatever it is: a function, what a decorator made of one, another callable.
bool defines_forward(const ClassObject& cls) {
    return std::any_of(cls.mro().begin(), cls.mro().end(), [](const ClassObject* base) {
        return !base->is_builtin() && base->attributes().find("forward") != nullptr;
    });
}

// Of a parametrization. Who calls it takes the value as it is where the method is not implemented.
IValue right_inverse(nn::Module& self, CallArguments arguments) {
    try {
        return call_method(Ptr<Object>(&self), "right_inverse", std::move(arguments));
    } catch (const PythonError& error) {
        if (!error.is("NotImplementedError")) throw;
        throw TypedError("NotImplementedError", error.message());
    }
}

ClassObject::Made make_module(ClassObject& cls, CallArguments&) {
    if (cls.is_builtin()) {
        if (const nn::LayerRecord* record = nn::find_layer(cls.name())) {
            return {IValue(Ptr<Object>(make_ptr<nn::Module>(*record))), false};
        }
    }
    auto module = make_ptr<nn::Module>(Ptr<RefCounted>(&cls), cls.name());
    if (defines_forward(cls)) {
        module->set_forward(nn::ForwardWithKeywords(
            [](nn::Module& self, CallArguments arguments) { return run_forward(self, std::move(arguments)); }));
    }
    if (const IValue* load = cls.find("_load_from_state_dict");
        load != nullptr && is_user_method(cls, "_load_from_state_dict")) {
        module->register_load_state_dict_pre_hook(ProgramLoadHook{*load, true});
    }
    for (const char* name : {"get_extra_state", "set_extra_state"}) {
        if (!is_user_method(cls, name)) continue;
        module->set_method(name, [name](nn::Module& self, CallArguments given) {
            return call_method(Ptr<Object>(&self), name, std::move(given));
        });
    }
    if (is_user_method(cls, "right_inverse")) module->set_method("right_inverse", right_inverse);
    if (is_user_method(cls, "extra_repr")) {
        module->set_extra_repr([](const nn::Module& self) {
            const IValue value = Ptr<Object>(const_cast<nn::Module*>(&self));  // counted only
            return str(call_method(value, "extra_repr", {}));
        });
    }
    return {IValue(Ptr<Object>(module)), false};
}

void define_core_methods(ClassObject& cls) {
    cls.define("__init__", [](CallArguments a) -> IValue {
        module_self(a).construct();
        return {};
    });
    cls.define("__setattr__", [](CallArguments a) -> IValue {
        check_positional(a, "__setattr__", 3, 3);
        module_self(a);
        set_module_attribute(a.positional[0], *class_of(a.positional[0]), str(a.positional[1]), a.positional[2]);
        return {};
    });
    cls.define("__delattr__", [](CallArguments a) -> IValue {
        check_positional(a, "__delattr__", 2, 2);
        module_self(a);
        delete_module_attribute(a.positional[0], *class_of(a.positional[0]), str(a.positional[1]));
        return {};
    });
    cls.define("__call__", [](CallArguments a) {
        nn::Module& module = module_self(a);
        const IValue keep = a.positional[0];
        return module.invoke(behind_self(std::move(a)));
    });
    cls.define("__repr__", [](CallArguments a) { return IValue(module_text(module_self(a))); });
    cls.define("__dir__", [](CallArguments) { return make_list({}); });
}

std::optional<IValue> own_attribute(nn::Module& module, std::string_view name) {
    if (const IValue* found = module.find_attribute(name)) return *found;
    if (name == "__dict__") return module_dict(module);
    if (!name.starts_with('_')) return std::nullopt;
    if (auto entry = module_dict_entry(module, name)) return entry;
    return hook_dict(module, name);
}

}  // namespace

const ClassPtr& nn_module_class() {
    static const ClassPtr cls = [] {
        const EvaluatorScope outside(nullptr);
        auto made =
            make_ptr<ClassObject>("Module", "torch.nn.modules.module", std::vector<ClassPtr>{builtin_classes().object});
        made->set_builtin(make_module);
        define_module_methods(*made);
        define_core_methods(*made);
        return made;
    }();
    return cls;
}

std::optional<IValue> find_module_attribute(const IValue& object, ClassObject& cls, std::string_view name) {
    const IValue* in_class = cls.find(name);
    const bool is_property = in_class != nullptr && object_as<Property>(*in_class) != nullptr;
    if (!is_property) {
        if (auto own = own_attribute(module_of(object), name)) return own;
    }
    if (in_class != nullptr) return bind_attribute(*in_class, &object, ClassPtr(&cls));
    if (name == "__class__") return IValue::other(Ptr<RefCounted>(&cls));
    return call_special(cls, "__getattr__", object, {IValue(name)});
}

void set_module_attribute(const IValue& object, ClassObject& cls, std::string_view name, IValue value) {
    const IValue* in_class = cls.find(name);
    if (auto* property = in_class != nullptr ? object_as<Property>(*in_class) : nullptr) {
        if (property->native_setter) return property->native_setter(object, std::move(value));
        if (property->setter.is_none()) {
            throw_error("AttributeError", concat("property '", name, "' of '", cls.name(), "' object has no setter"));
        }
        call(property->setter, {object, std::move(value)});
        return;
    }
    if (const auto* buffer = object_as<Instance>(value);
        buffer != nullptr && buffer->cls()->name() == "Buffer" && buffer->cls()->module() == "torch.nn._buffers") {
        const Tensor data = get_attribute(value, "data").to_tensor();
        const bool is_persistent = truth(get_attribute(value, "persistent"));
        return with_module_errors([&] { module_of(object).register_buffer(std::string(name), data, is_persistent); });
    }
    with_module_errors([&] { module_of(object).set_attribute(name, std::move(value)); });
    // A layer's own forward is not looked up by name: what stands in its place is.
    if (name == "forward") {
        module_of(object).set_forward(nn::ForwardWithKeywords(
            [](nn::Module& self, CallArguments arguments) { return run_forward(self, std::move(arguments)); }));
    }
}

void delete_module_attribute(const IValue& object, ClassObject&, std::string_view name) {
    with_module_errors([&] { module_of(object).delete_attribute(name); });
}

IValue call_module(const IValue& object, ClassObject& cls, CallArguments arguments) {
    const IValue keep = object;
    if (is_user_method(cls, "__call__")) {
        const IValue method = *cls.find("__call__");
        arguments.positional.insert(arguments.positional.begin(), keep);
        return call(method, std::move(arguments));
    }
    for (IValue& value : arguments.positional) value = engine_value(value);
    try {
        return module_of(keep).invoke(std::move(arguments));
    } catch (const PythonError&) {
        throw;
    } catch (const Error& error) {
        if (error.message().find("is missing the required \"forward\"") == std::string::npos) throw;
        throw_error("NotImplementedError", error.message());
    }
}

IValue copy_module(const IValue& object) {
    if (auto* module = dynamic_cast<nn::Module*>(object.object_pointer()))
        return IValue(Ptr<Object>(module->deep_copy()));
    return object;
}

}  // namespace loupe::python
