// SPDX-License-Identifier: Apache-2.0
// Writing objects into pickles.
#include "core/python/torch/pickling.h"
#include "core/python/torch/layout_objects.h"

#include "core/autograd/variable.h"
#include "core/base/strings.h"
#include "core/nn/layer.h"
#include "core/python/language/big_integer.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/evaluator_state.h"
#include "core/python/language/slots.h"
#include "core/python/torch/module_dict.h"
#include "core/python/torch/nn_module.h"
#include "core/python/torch/torch_objects.h"

namespace loupe::python {
namespace {

[[noreturn]] void fail_pickling(std::string message) {
    const IValue pickle = Evaluator::current()->import_module("pickle");
    raise_value(call(get_attribute(pickle, "PicklingError"), std::vector<IValue>{IValue(std::move(message))}));
}

// A class or function is written as the place where it can be found again.
void write_name(const IValue& value, const std::string& module, const std::string& name, CheckpointPickler& pickler) {
    if (name.find("<locals>") != std::string::npos) {
        throw_error("AttributeError", concat("Can't pickle local object '", name, "'"));
    }
    IValue found;
    try {
        found = find_pickled_name(concat(module, ".", name));
    } catch (const PythonError&) {
        fail_pickling(concat("Can't pickle ", repr(value), ": attribute lookup ", name, " on ", module, " failed"));
    }
    if (!found.is_other() || found.object_pointer() != value.object_pointer()) {
        fail_pickling(concat("Can't pickle ", repr(value), ": it's not the same object as ", module, ".", name));
    }
    const std::size_t dot = name.rfind('.');
    if (dot == std::string::npos) return pickler.write_global(module, name);
    // Names with a dot came with protocol 4.
    const IValue outer = find_pickled_name(concat(module, ".", name.substr(0, dot)));
    pickler.write_call("__builtin__", "getattr", {outer, IValue(name.substr(dot + 1))});
}

std::string text_attribute(const IValue& value, std::string_view name) {
    const auto found = find_attribute(value, name);
    return found && found->is_string() ? found->to_string() : std::string();
}

// Functions in C++ know only their own name: it is looked for where programs have them from.
bool write_native(const IValue& value, CheckpointPickler& pickler) {
    const auto* callable = dynamic_cast<const Callable*>(value.object_pointer());
    if (callable == nullptr) return false;
    const std::string name = callable->describe();
    for (const char* module : {"builtins", "torch", "torch.nn.functional", "torch.nn.init", "torch.special",
                               "torch.linalg", "torch.fft", "math"}) {
        const auto found = find_attribute(Evaluator::current()->import_module(module), name);
        if (!found || !found->is_other() || found->object_pointer() != value.object_pointer()) continue;
        pickler.write_global(module, name);
        return true;
    }
    // The function that a layer of torch.nn chose for itself.
    const bool is_layers_own = dynamic_cast<const PythonObject*>(callable) == nullptr;
    if (!is_layers_own || !find_attribute(Evaluator::current()->import_module("torch.nn.functional"), name))
        return false;
    pickler.write_global("torch.nn.functional", name);
    return true;
}

// (attributes or None, slots) of an object whose class has __slots__.
IValue slotted_state(const Instance& instance) {
    const auto dict = make_dict();
    const auto slots = make_dict();
    for (const auto& [name, value] : instance.attributes.entries())
        (is_slot(*instance.cls(), name) ? slots : dict)->set(IValue(name), value);
    if (slots->size() == 0) return dict->size() == 0 ? IValue() : IValue(dict);
    return make_tuple({dict->size() == 0 ? IValue() : IValue(dict), IValue(slots)});
}

IValue attribute_state(const AttributeMap& attributes) {
    if (attributes.entries().empty()) return {};
    const auto dict = make_dict();
    for (const auto& [name, value] : attributes.entries()) dict->set(IValue(name), value);
    return dict;
}

// A method that the program or a module in Python defines; what int, object and torch.nn.Module have themselves does
// not count.
const IValue* own_method(const ClassObject& cls, std::string_view name) {
    const IValue* found = cls.find(name);
    return found != nullptr && object_as<FunctionObject>(*found) != nullptr ? found : nullptr;
}

// The __dict__ of an object is one.
bool is_plain_dict(const DictObject& dict) {
    const ContainerClass* own = container_class(dict);
    return own == nullptr || (own->cls->name() == "dict" && own->cls->module().empty());
}

}  // namespace

bool PythonPickler::is_ordered(const DictObject& dict, IValue& state) {
    const ContainerClass* own = container_class(dict);
    if (own == nullptr || own->cls->name() != "OrderedDict" || own->cls->module() != "collections") return false;
    if (own->attributes.find("_metadata") == nullptr) return true;
    state = attribute_state(own->attributes);
    kept_.push_back(state);
    return true;
}

bool PythonPickler::write_plain(const IValue& value, CheckpointPickler& pickler) {
    RefCounted* object = value.object_pointer();
    if (const auto* dtype = dynamic_cast<DtypeObject*>(object)) {
        pickler.write_global("torch", dtype_name(dtype->dtype));
    } else if (is_layout(value)) {
        pickler.write_call("torch.serialization", "_get_layout", {repr(value)});
    } else if (const auto* constant = dynamic_cast<ConstantObject*>(object)) {
        pickler.write_global("torch", constant->name);
    } else if (const auto* bytes = dynamic_cast<BytesObject*>(object)) {
        pickler.write_bytes(bytes->data);
    } else if (const auto* set = dynamic_cast<SetObject*>(object)) {
        if (set->is_frozen)
            pickler.write_call("__builtin__", "frozenset", {make_list(set->values())});
        else
            pickler.write_set(set->values());
    } else if (is_same_object(value, ellipsis()) || is_same_object(value, not_implemented())) {
        pickler.write_global("__builtin__", repr(value));
    } else if (const auto* handle = dynamic_cast<PickledHandle*>(object)) {
        pickler.write_new("torch.utils.hooks", "RemovableHandle", handle->state);
    } else if (is_big_integer(value)) {
        pickler.write_call("__builtin__", "int", {repr(value)});
    } else if (const auto* range = dynamic_cast<RangeObject*>(object)) {
        pickler.write_call("__builtin__", "xrange", {range->start, range->stop, range->step});
    } else if (const auto* slice = dynamic_cast<SliceObject*>(object)) {
        pickler.write_call("__builtin__", "slice", {slice->start, slice->stop, slice->step});
    } else if (const auto* method = dynamic_cast<BoundMethod*>(object)) {
        pickler.write_call("__builtin__", "getattr", {method->self, IValue(text_attribute(value, "__name__"))});
    } else if (auto* cls = dynamic_cast<ClassObject*>(object)) {
        if (cls == builtin_classes().none.get())
            pickler.write_call("__builtin__", "type", {IValue()});
        else
            write_name(value, text_attribute(value, "__module__"), cls->qualified_name(), pickler);
    } else if (dynamic_cast<FunctionObject*>(object) != nullptr) {
        write_name(value, text_attribute(value, "__module__"), text_attribute(value, "__qualname__"), pickler);
    } else {
        return dynamic_cast<Instance*>(object) == nullptr && write_native(value, pickler);
    }
    return true;
}

// (callable, arguments, state, elements, items), of which the last three may be None or left out; or a name.
void PythonPickler::write_reduced(const IValue& value, const IValue& reduced, CheckpointPickler& pickler) {
    if (reduced.is_string()) {
        write_name(value, text_attribute(value, "__module__"), reduced.to_string(), pickler);
        return;
    }
    if (!reduced.is_tuple() || reduced.to_tuple().elements.size() < 2)
        fail_pickling("__reduce__ must return a string or tuple");
    kept_.push_back(reduced);
    const auto& all = reduced.to_tuple().elements;
    ReducedObject parts;
    parts.callable = all[0];
    parts.arguments = to_vector(all[1]);
    if (all.size() > 2) parts.state = all[2];
    if (all.size() > 3 && !all[3].is_none()) parts.elements = to_vector(all[3]);
    if (all.size() > 4 && !all[4].is_none()) {
        for (const IValue& pair : to_vector(all[4])) {
            const auto both = to_vector(pair);
            parts.items.emplace_back(both.at(0), both.at(1));
        }
    }
    kept_.push_back(make_list(parts.elements));
    pickler.write_object(value, parts);
}

void PythonPickler::note_uninitialized(const nn::Module& module) {
    for (const auto* named : {"p", "b"}) {
        for (const auto& [name, tensor] : *named == 'p' ? module.own_parameters() : module.own_buffers()) {
            if (module.is_uninitialized(name)) uninitialized_.insert(tensor.impl());
        }
    }
}

bool PythonPickler::write_instance(const IValue& value, CheckpointPickler& pickler) {
    const ClassPtr cls = class_of(value);
    for (const char* name : {"__reduce_ex__", "__reduce__"}) {
        if (own_method(*cls, name) == nullptr) continue;
        CallArguments arguments;
        if (std::string_view(name) == "__reduce_ex__") arguments.positional.emplace_back(2);
        write_reduced(value, call_method(value, name, std::move(arguments)), pickler);
        return true;
    }
    ReducedObject parts;
    parts.callable = IValue::other(cls);
    parts.is_new = true;
    if (own_method(*cls, "__getnewargs__") != nullptr)
        parts.arguments = to_vector(call_method(value, "__getnewargs__", {}));
    if (value.is_tuple()) {
        if (parts.arguments.empty())
            parts.arguments = cls->tuple_type && !cls->tuple_type->as<TupleType>()->fields().empty()
                                  ? value.to_tuple().elements
                                  : std::vector<IValue>{make_tuple(value.to_tuple().elements)};
    } else if (value.is_list()) {
        parts.elements = value.to_list().elements;
        parts.state = attribute_state(container_class(value.to_list())->attributes);
    } else if (value.is_dict()) {
        parts.items = value.to_dict().entries();
        parts.state = attribute_state(container_class(value.to_dict())->attributes);
    } else if (auto* module = dynamic_cast<nn::Module*>(value.object_pointer())) {
        if (module->layer() == nullptr && !module->dynamic_class()) return false;
        note_uninitialized(*module);
        if (own_method(*cls, "__getstate__") == nullptr) parts.state = module_dict(*module);
    } else if (auto* exception = object_as<ExceptionObject>(value)) {
        parts.is_new = false;
        parts.arguments = exception->args;
        parts.state = attribute_state(exception->attributes);
    } else if (auto* instance = object_as<Instance>(value)) {
        const auto engine_state = optimizer_state_to_pickle(value);
        const auto schedule_state = engine_state ? std::nullopt : scheduler_state_to_pickle(value);
        if (cls->is_builtin() && !engine_state && !schedule_state && cls->module() != "torch.optim.optimizer") {
            throw_type_error(
                concat("cannot pickle '", cls->name() == "Generator" ? "torch._C." : "", cls->name(), "' object"));
        }
        if (!instance->payload.is_none() && parts.arguments.empty()) parts.arguments = {instance->payload};
        parts.state = engine_state ? *engine_state : schedule_state ? *schedule_state : slotted_state(*instance);
    } else {
        return false;
    }
    if (own_method(*cls, "__getstate__") != nullptr) parts.state = call_method(value, "__getstate__", {});
    kept_.push_back(parts.state);
    kept_.push_back(make_list(parts.arguments));
    pickler.write_object(value, parts);
    return true;
}

bool PythonPickler::write(const IValue& value, CheckpointPickler& pickler) {
    if (value.is_tensor()) {
        if (!uninitialized_.contains(value.tensor_impl())) return false;
        pickler.write_uninitialized(value.to_tensor());
        return true;
    }
    if (value.is_list() && container_class(value.to_list()) == nullptr) return false;
    if (value.is_dict() && is_plain_dict(value.to_dict())) return false;
    if (value.is_tuple() && class_of(value) == builtin_classes().tuple) return false;
    if (value.is_other() && write_plain(value, pickler)) return true;
    if (value.is_other() && object_as<Instance>(value) == nullptr) {
        throw_type_error(concat("cannot pickle '", type_name(value), "' object"));
    }
    return write_instance(value, pickler);
}

}  // namespace loupe::python
