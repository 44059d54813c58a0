// SPDX-License-Identifier: Apache-2.0
// torch.nn.modules.container: modules and parameters under numbers or keys.
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/nn/layers/families.h"
#include "core/nn/layers/held_values.h"
#include "core/nn/layers/support.h"
#include "core/nn/module_slots.h"
#include "core/value/bind_arguments.h"

namespace loupe::nn::layers {
namespace {

// None for a name without a module.
IValue value_of(const ModulePtr& part) { return part ? IValue(Ptr<Object>(part)) : IValue(); }

constexpr std::string_view kPython = "torch.nn.modules.container";

[[noreturn]] void run_error(std::string message) { throw Error(ErrorKind::Run, std::move(message)); }

// An iterable argument: a list, a tuple, a container's children.
std::vector<IValue> elements_of(const IValue& value) {
    if (value.is_none()) return {};
    if (value.is_list()) return value.to_list().elements;
    if (value.is_tuple()) return value.to_tuple().elements;
    if (const ModulePtr module = as_module(value)) {
        std::vector<IValue> out;
        for (const auto& [name, part] : module_slots(*module)) out.push_back(value_of(part));
        if (module->find_attribute("_keys") != nullptr) {
            for (const auto& [name, held] : held_values(*module)) out.push_back(held);
        }
        return out;
    }
    run_error(concat("'", python_type_name(value), "' object is not iterable"));
}

// Key and value of each entry of a dict, a list of pairs, or a container.
std::vector<std::pair<std::string, IValue>> entries_of(const IValue& value) {
    std::vector<std::pair<std::string, IValue>> out;
    if (value.is_none()) return out;
    if (value.is_dict()) {
        for (const auto& [key, entry] : value.to_dict().entries()) out.emplace_back(key.to_string(), entry);
    } else if (const ModulePtr module = as_module(value)) {
        for (const auto& [name, part] : module_slots(*module)) out.emplace_back(name, value_of(part));
        if (module->find_attribute("_keys") != nullptr) {
            for (const auto& [name, held] : held_values(*module)) out.emplace_back(name, held);
        }
    } else {
        for (const IValue& pair : elements_of(value)) {
            const auto both = elements_of(pair);
            if (both.size() != 2)
                run_error(concat("dictionary update sequence element has length ", both.size(), "; 2 is required"));
            out.emplace_back(both[0].to_string(), both[1]);
        }
    }
    return out;
}

// Null for None, which containers keep.
ModulePtr checked_module(const IValue& value) {
    ModulePtr module = as_module(value);
    if (!module && !value.is_none()) run_error(concat(python_type_name(value), " is not a Module subclass"));
    return module;
}

std::vector<ModulePtr> parts_of(const Module& self) {
    std::vector<ModulePtr> out;
    for (auto& part : module_slots(self)) out.push_back(std::move(part.second));
    return out;
}

// The children under the numbers from 0.
void set_parts(Module& self, const std::vector<ModulePtr>& parts) {
    for (const auto& [name, part] : module_slots(self)) self.delete_attribute(name);
    for (std::size_t i = 0; i < parts.size(); ++i) self.register_module(std::to_string(i), parts[i]);
}

std::int64_t wrapped_index(std::int64_t index, std::size_t size) {
    const auto count = static_cast<std::int64_t>(size);
    if (index < -count || index >= count) run_error(concat("index ", index, " is out of range"));
    return index < 0 ? index + count : index;
}

IValue itself(Module& self) { return Ptr<Object>(&self); }

IValue length(Module& self, Arguments) { return static_cast<std::int64_t>(module_slots(self).size()); }
IValue get_part(Module& self, Arguments a) {
    const auto parts = parts_of(self);
    return value_of(parts[static_cast<std::size_t>(wrapped_index(a[0].to_int(), parts.size()))]);
}
IValue set_part(Module& self, Arguments a) {
    const auto children = module_slots(self);
    self.register_module(children[static_cast<std::size_t>(wrapped_index(a[0].to_int(), children.size()))].first,
                         checked_module(a[1]));
    return {};
}
IValue delete_part(Module& self, Arguments a) {
    auto parts = parts_of(self);
    parts.erase(parts.begin() + wrapped_index(a[0].to_int(), parts.size()));
    set_parts(self, parts);
    return {};
}
IValue append_part(Module& self, Arguments a) {
    self.register_module(std::to_string(module_slots(self).size()), checked_module(a[0]));
    return itself(self);
}
IValue extend_parts(Module& self, Arguments a) {
    if (!a[0].is_list() && !a[0].is_tuple() && !as_module(a[0])) {
        run_error(
            concat(self.class_name(), ".extend should be called with an iterable, but got ", python_type_name(a[0])));
    }
    for (const IValue& part : elements_of(a[0])) append_part(self, std::span(&part, 1));
    return itself(self);
}
IValue insert_part(Module& self, Arguments a) {
    auto parts = parts_of(self);
    const auto count = static_cast<std::int64_t>(parts.size());
    std::int64_t index = a[0].to_int();
    if (index < -count || index > count) run_error(concat("Index out of range: ", index));
    if (index < 0) index += count;
    parts.insert(parts.begin() + index, checked_module(a[1]));
    set_parts(self, parts);
    return itself(self);
}
IValue pop_part(Module& self, Arguments a) {
    const IValue part = get_part(self, a);
    delete_part(self, a);
    return part;
}
// Of a slice whose bounds are within the length; names are kept in a Sequential and renumbered in a list.
IValue slice_parts(Module& self, Arguments a) {
    const auto children = module_slots(self);
    const auto out = make_ptr<Module>(*self.layer());
    const std::int64_t step = a[2].to_int();
    for (std::int64_t i = a[0].to_int(); step > 0 ? i < a[1].to_int() : i > a[1].to_int(); i += step) {
        const auto& [name, part] = children[static_cast<std::size_t>(wrapped_index(i, children.size()))];
        out->register_module(self.layer()->name == "Sequential" ? name : std::to_string(module_slots(*out).size()),
                             part);
    }
    return Ptr<Object>(out);
}
IValue parts_list(Module& self, Arguments) {
    const auto list = make_ptr<ListObject>(types::any());
    for (const ModulePtr& part : parts_of(self)) list->elements.push_back(value_of(part));
    return list;
}

void init_sequential(Module& self, Arguments a) {
    if (a.size() == 1 && a[0].is_dict()) {
        for (const auto& [name, part] : entries_of(a[0])) self.register_module(name, checked_module(part));
        return;
    }
    for (std::size_t i = 0; i < a.size(); ++i) self.register_module(std::to_string(i), checked_module(a[i]));
}
IValue run_sequential(Module& self, Arguments a) {
    IValue value = a[0];
    for (const ModulePtr& part : parts_of(self)) {
        if (!part) run_error("'NoneType' object is not callable");
        value = part->call({std::move(value)});
    }
    return value;
}

void init_module_list(Module& self, Arguments a) {
    if (!a[0].is_none()) extend_parts(self, a);
}

void init_module_dict(Module& self, Arguments a) {
    for (const auto& [name, part] : entries_of(a[0])) self.register_module(name, checked_module(part));
}
IValue set_key(Module& self, Arguments a) {
    self.register_module(a[0].to_string(), checked_module(a[1]));
    return {};
}
IValue update_keys(Module& self, Arguments a) {
    init_module_dict(self, a);
    return {};
}
IValue get_key(Module& self, Arguments a) {
    for (const auto& [name, part] : module_slots(self)) {
        if (name == a[0].to_string()) return value_of(part);
    }
    run_error(python_repr(a[0]));
}
IValue delete_key(Module& self, Arguments a) {
    self.delete_attribute(a[0].to_string());
    return {};
}
IValue pop_key(Module& self, Arguments a) {
    const IValue part = get_key(self, a);
    delete_key(self, a);
    return part;
}
IValue contains_key(Module& self, Arguments a) {
    return a[0].is_string() && self.attribute_kind(a[0].to_string()) == AttributeKind::Module;
}
IValue clear_parts(Module& self, Arguments) {
    set_parts(self, {});
    return {};
}
IValue key_list(Module& self, Arguments) {
    const auto list = make_ptr<ListObject>(types::string());
    for (const auto& [name, part] : module_slots(self)) list->elements.emplace_back(name);
    return list;
}
IValue item_list(Module& self, Arguments) {
    const auto list = make_ptr<ListObject>(types::any());
    for (const auto& [name, part] : module_slots(self))
        list->elements.emplace_back(tuple({IValue(name), value_of(part)}));
    return list;
}

// Parameter lists and dicts hold tensors as parameters, other values as they are.
IValue as_held(const IValue& value) {
    if (!value.is_tensor() || is_parameter(value.to_tensor())) return value;
    const Tensor t = value.to_tensor();
    return make_parameter(t, is_differentiable(t.dtype()));
}
std::vector<std::string> held_names(const Module& self) {
    std::vector<std::string> out;
    for (const IValue& name : self.attribute("_keys").to_list().elements) out.push_back(name.to_string());
    return out;
}

}  // namespace

Named<IValue> held_values(const Module& self) {
    Named<IValue> out;
    for (const std::string& name : held_names(self)) out.emplace_back(name, self.attribute(name));
    return out;
}
void hold(Module& self, const std::string& name, const IValue& value) {
    if (!self.find_attribute(name)) self.attribute("_keys").to_list().elements.emplace_back(name);
    self.set_attribute(name, as_held(value));
}
void let_go(Module& self, const std::string& name) {
    self.delete_attribute(name);
    std::erase_if(self.attribute("_keys").to_list().elements,
                  [&](const IValue& key) { return key.to_string() == name; });
}

namespace {

void init_held(Module& self) { self.set_attribute("_keys", make_ptr<ListObject>(types::string())); }

IValue held_length(Module& self, Arguments) { return static_cast<std::int64_t>(held_names(self).size()); }
IValue held_append(Module& self, Arguments a) {
    hold(self, std::to_string(held_names(self).size()), a[0]);
    return itself(self);
}
IValue held_extend(Module& self, Arguments a) {
    for (const IValue& value : elements_of(a[0])) held_append(self, std::span(&value, 1));
    return itself(self);
}
void init_parameter_list(Module& self, Arguments a) {
    init_held(self);
    held_extend(self, a);
}
std::string held_name(Module& self, const IValue& key) {
    if (key.is_string()) {
        if (!self.find_attribute(key.to_string())) run_error(python_repr(key));
        return key.to_string();
    }
    return std::to_string(wrapped_index(key.to_int(), held_names(self).size()));
}
IValue held_get(Module& self, Arguments a) { return self.attribute(held_name(self, a[0])); }
IValue held_set(Module& self, Arguments a) {
    hold(self, a[0].is_string() ? a[0].to_string() : held_name(self, a[0]), a[1]);
    return {};
}
IValue held_list(Module& self, Arguments) {
    const auto list = make_ptr<ListObject>(types::any());
    for (const std::string& name : held_names(self)) list->elements.push_back(self.attribute(name));
    return list;
}
IValue held_keys(Module& self, Arguments) {
    const auto list = make_ptr<ListObject>(types::string());
    for (std::string& name : held_names(self)) list->elements.emplace_back(std::move(name));
    return list;
}
IValue held_items(Module& self, Arguments) {
    const auto list = make_ptr<ListObject>(types::any());
    for (const std::string& name : held_names(self))
        list->elements.emplace_back(tuple({IValue(name), self.attribute(name)}));
    return list;
}
IValue held_contains(Module& self, Arguments a) {
    for (const std::string& name : held_names(self)) {
        if (a[0].is_string() && a[0].to_string() == name) return true;
    }
    return false;
}
IValue held_delete(Module& self, Arguments a) {
    const std::string name = held_name(self, a[0]);
    let_go(self, name);
    return {};
}
IValue held_update(Module& self, Arguments a) {
    for (const auto& [name, value] : entries_of(a[0])) hold(self, name, value);
    return {};
}
void init_parameter_dict(Module& self, Arguments a) {
    init_held(self);
    held_update(self, a);
}

// "Parameter containing: [torch.float32 of size 3x4]"; a dict names the type of the tensor instead of its dtype.
std::string held_text(const Module& self, bool is_dict) {
    std::vector<std::string> lines;
    for (const std::string& name : held_names(self)) {
        const IValue& value = self.attribute(name);
        if (!value.is_tensor()) {
            lines.push_back(concat("  (", name, "): Object of type: ", python_type_name(value)));
            continue;
        }
        const Tensor t = value.to_tensor();
        const std::string type = is_dict ? tensor_type_name(t.dtype()) : concat("torch.", dtype_name(t.dtype()));
        const std::string device =
            t.device().type == DeviceType::Cpu ? "" : concat(" (GPU ", static_cast<int>(t.device().index), ")");
        lines.push_back(concat("  (", name, "): ", is_parameter(t) ? "Parameter" : "Tensor", " containing: [", type,
                               " of size ", join(t.sizes(), "x"), device, "]"));
    }
    return join(lines, "\n");
}
std::string list_text(const Module& self) { return held_text(self, false); }
std::string dict_text(const Module& self) { return held_text(self, true); }

constexpr LayerMethod kSequentialMethods[] = {
    {"__len__() -> int", length},
    {"__getitem__(int index) -> Any", get_part},
    {"__setitem__(int index, Any module) -> ()", set_part},
    {"__delitem__(int index) -> ()", delete_part},
    {"_slice(int start, int stop, int step) -> Any", slice_parts},
    {"_values() -> Any", parts_list},
    {"append(Any module) -> Any", append_part},
    {"extend(Any modules) -> Any", extend_parts},
    {"insert(int index, Any module) -> Any", insert_part},
    {"pop(int key) -> Any", pop_part},
};
constexpr LayerMethod kDictMethods[] = {
    {"__len__() -> int", length},
    {"__getitem__(str key) -> Any", get_key},
    {"__setitem__(str key, Any module) -> ()", set_key},
    {"__delitem__(str key) -> ()", delete_key},
    {"__contains__(Any key) -> bool", contains_key},
    {"_values() -> Any", key_list},
    {"clear() -> ()", clear_parts},
    {"pop(str key) -> Any", pop_key},
    {"keys() -> Any", key_list},
    {"items() -> Any", item_list},
    {"values() -> Any", parts_list},
    {"update(Any modules) -> ()", update_keys},
};
constexpr LayerMethod kParameterListMethods[] = {
    {"__len__() -> int", held_length},
    {"__getitem__(int idx) -> Any", held_get},
    {"__setitem__(int idx, Any param) -> ()", held_set},
    {"_values() -> Any", held_list},
    {"append(Any value) -> Any", held_append},
    {"extend(Any values) -> Any", held_extend},
};
constexpr LayerMethod kParameterDictMethods[] = {
    {"__len__() -> int", held_length},
    {"__getitem__(str key) -> Any", held_get},
    {"__setitem__(str key, Any value) -> ()", held_set},
    {"__delitem__(str key) -> ()", held_delete},
    {"__contains__(Any key) -> bool", held_contains},
    {"_values() -> Any", held_keys},
    {"keys() -> Any", held_keys},
    {"items() -> Any", held_items},
    {"values() -> Any", held_list},
    {"update(Any parameters) -> ()", held_update},
};

constexpr LayerRecord kRecords[] = {
    {.name = "Module",
     .base = "",
     .module = "torch.nn.modules.module",
     .summary = "The base of all layers and models.",
     .constructor = "()"},
    {.name = "Sequential",
     .base = "Module",
     .module = kPython,
     .summary = "Modules that run one after another.",
     .constructor = "(...)",
     .init = init_sequential,
     .forward_schema = "(Any input) -> Any",
     .forward = run_sequential,
     .methods = kSequentialMethods},
    {.name = "ModuleList",
     .base = "Module",
     .module = kPython,
     .summary = "Modules in a list.",
     .constructor = "(Any modules=None)",
     .init = init_module_list,
     .methods = kSequentialMethods},
    {.name = "ModuleDict",
     .base = "Module",
     .module = kPython,
     .summary = "Modules under keys.",
     .constructor = "(Any modules=None)",
     .init = init_module_dict,
     .methods = kDictMethods},
    {.name = "ParameterList",
     .base = "Module",
     .module = kPython,
     .summary = "Parameters in a list.",
     .constructor = "(Any values=None)",
     .init = init_parameter_list,
     .extra_repr = list_text,
     .methods = kParameterListMethods},
    {.name = "ParameterDict",
     .base = "Module",
     .module = kPython,
     .summary = "Parameters under keys.",
     .constructor = "(Any parameters=None)",
     .init = init_parameter_dict,
     .extra_repr = dict_text,
     .methods = kParameterDictMethods},
};

}  // namespace

LayerFamily container_layers() { return kRecords; }

}  // namespace loupe::nn::layers
