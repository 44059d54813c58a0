// SPDX-License-Identifier: Apache-2.0
// nn.Sequential, ModuleList, ModuleDict, ParameterList and ParameterDict as containers of Python.

#include "core/base/strings.h"
#include "core/nn/layers/held_values.h"
#include "core/nn/module_slots.h"
#include "core/python/language/arguments.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/error.h"
#include "core/python/language/operations.h"
#include "core/python/torch/module_arguments.h"
#include "core/python/torch/torch_call.h"
#include "core/python/torch/torch_nn.h"

namespace loupe::python {
namespace {

using Entry = std::pair<std::string, IValue>;

bool holds_parameters(const ClassObject& cls) { return cls.name().starts_with("Parameter"); }
bool is_dict_like(const ClassObject& cls) { return cls.name().ends_with("Dict"); }

std::vector<Entry> entries_of(const nn::Module& self, bool parameters) {
    std::vector<Entry> out;
    if (parameters) {
        for (const auto& [name, value] : nn::layers::held_values(self)) out.emplace_back(name, value);
    } else {
        for (const auto& [name, child] : nn::module_slots(self))
            out.emplace_back(name, child ? IValue(Ptr<Object>(child)) : IValue());
    }
    return out;
}

bool holds_values(const nn::Module& self) { return self.find_attribute("_keys") != nullptr; }

// None is an entry too.
void set_entry(nn::Module& self, const std::string& name, const IValue& value) {
    with_python_errors([&] {
        if (holds_values(self))
            nn::layers::hold(self, name, value);
        else if (value.is_none())
            self.register_module(name, nullptr);
        else
            self.set_attribute(name, value);
    });
}

void delete_entry(nn::Module& self, const std::string& name) {
    with_python_errors([&] {
        if (holds_values(self))
            nn::layers::let_go(self, name);
        else
            self.delete_attribute(name);
    });
}

void replace_entries(nn::Module& self, const std::vector<Entry>& before, const std::vector<Entry>& after) {
    for (const auto& [name, value] : before) delete_entry(self, name);
    for (const auto& [name, value] : after) set_entry(self, name, value);
}

std::vector<Entry> numbered(std::vector<IValue> values) {
    std::vector<Entry> out;
    for (IValue& value : values) out.emplace_back(std::to_string(out.size()), std::move(value));
    return out;
}
std::vector<IValue> values_of(const std::vector<Entry>& entries) {
    std::vector<IValue> out;
    for (const auto& [name, value] : entries) out.push_back(value);
    return out;
}

std::size_t place_of(const IValue& key, std::size_t count) {
    std::int64_t index = to_index(key);
    const auto size = static_cast<std::int64_t>(count);
    if (index < -size || index >= size) throw_error("IndexError", concat("index ", index, " is out of range"));
    if (index < 0) index += size;
    return static_cast<std::size_t>(index);
}

// A new container of the same class with these entries.
IValue same_container(const IValue& self, const std::vector<Entry>& entries) {
    const IValue out = call(IValue::other(class_of(self)), CallArguments{});
    auto& module = dynamic_cast<nn::Module&>(*out.object_pointer());
    replace_entries(module, {}, entries);
    return out;
}

struct Methods {
    bool parameters;

    std::vector<Entry> entries(const CallArguments& arguments) const {
        return entries_of(module_self(arguments), parameters);
    }

    IValue item(const CallArguments& arguments, bool keeps_names) const {
        check_positional(arguments, "__getitem__", 2, 2);
        const std::vector<Entry> all = entries(arguments);
        const auto* slice = object_as<SliceObject>(arguments.positional[1]);
        if (slice == nullptr) return all[place_of(arguments.positional[1], all.size())].second;
        const auto bounds = slice->bounds(static_cast<std::int64_t>(all.size()));
        std::vector<Entry> chosen;
        for (std::int64_t i = 0; i < bounds.count; ++i) {
            chosen.push_back(all[static_cast<std::size_t>(bounds.start + i * bounds.step)]);
        }
        return same_container(arguments.positional[0], keeps_names ? chosen : numbered(values_of(chosen)));
    }

    IValue set_item(const CallArguments& arguments) const {
        check_positional(arguments, "__setitem__", 3, 3);
        const std::vector<Entry> all = entries(arguments);
        const std::size_t place = place_of(arguments.positional[1], all.size());
        set_entry(module_self(arguments), all[place].first, arguments.positional[2]);
        return {};
    }

    IValue delete_item(const CallArguments& arguments) const {
        check_positional(arguments, "__delitem__", 2, 2);
        const std::vector<Entry> all = entries(arguments);
        std::vector<IValue> values = values_of(all);
        if (const auto* slice = object_as<SliceObject>(arguments.positional[1])) {
            const auto bounds = slice->bounds(static_cast<std::int64_t>(all.size()));
            std::vector<bool> goes(all.size(), false);
            for (std::int64_t i = 0; i < bounds.count; ++i)
                goes[static_cast<std::size_t>(bounds.start + i * bounds.step)] = true;
            values.clear();
            for (std::size_t i = 0; i < all.size(); ++i) {
                if (!goes[i]) values.push_back(all[i].second);
            }
        } else {
            values.erase(values.begin() + static_cast<std::ptrdiff_t>(place_of(arguments.positional[1], all.size())));
        }
        replace_entries(module_self(arguments), all, numbered(std::move(values)));
        return {};
    }

    IValue append(const CallArguments& arguments) const {
        check_positional(arguments, "append", 2, 2);
        nn::Module& self = module_self(arguments);
        set_entry(self, std::to_string(entries(arguments).size()), arguments.positional[1]);
        return arguments.positional[0];
    }

    IValue extend(const CallArguments& arguments) const {
        check_positional(arguments, "extend", 2, 2);
        nn::Module& self = module_self(arguments);
        std::size_t next = entries(arguments).size();
        const IValue& more = arguments.positional[1];
        const bool is_container = more.is_object();
        for (const IValue& value : is_container ? to_vector(call_method(more, "__iter__", {})) : to_vector(more)) {
            set_entry(self, std::to_string(next++), value);
        }
        return arguments.positional[0];
    }

    IValue insert(const CallArguments& arguments) const {
        check_positional(arguments, "insert", 3, 3);
        const std::vector<Entry> all = entries(arguments);
        std::vector<IValue> values = values_of(all);
        std::int64_t place = to_index(arguments.positional[1]);
        const auto size = static_cast<std::int64_t>(values.size());
        if (place < 0) place += size;
        place = std::clamp<std::int64_t>(place, 0, size);
        values.insert(values.begin() + place, arguments.positional[2]);
        replace_entries(module_self(arguments), all, numbered(std::move(values)));
        return arguments.positional[0];
    }

    IValue pop(const CallArguments& arguments) const {
        const std::vector<Entry> all = entries(arguments);
        const IValue key = arguments.positional.size() > 1 ? arguments.positional[1] : IValue(std::int64_t{-1});
        const IValue out = all[place_of(key, all.size())].second;
        delete_item(CallArguments{{arguments.positional[0], key}, {}});
        return out;
    }
};

IValue iterator_over(std::vector<IValue> values) { return IValue::other(iterate(make_list(std::move(values)))); }

void define_shared(ClassObject& cls, const Methods& methods, bool is_dict) {
    cls.define("__len__", [methods](CallArguments arguments) {
        return IValue(static_cast<std::int64_t>(methods.entries(arguments).size()));
    });
    cls.define("__iter__", [methods, is_dict](CallArguments arguments) {
        std::vector<IValue> out;
        for (const auto& [name, value] : methods.entries(arguments)) out.push_back(is_dict ? IValue(name) : value);
        return iterator_over(std::move(out));
    });
    cls.define("__contains__", [methods, is_dict](CallArguments arguments) {
        check_positional(arguments, "__contains__", 2, 2);
        for (const auto& [name, value] : methods.entries(arguments)) {
            const IValue& wanted = arguments.positional[1];
            if (is_dict ? wanted.is_string() && wanted.to_string() == name : value.is_same(wanted)) return IValue(true);
        }
        return IValue(false);
    });
}

void define_list(ClassObject& cls, const Methods& methods) {
    const bool keeps_names = cls.name() == "Sequential";
    cls.define("__getitem__", [methods, keeps_names](CallArguments a) { return methods.item(a, keeps_names); });
    cls.define("__setitem__", [methods](CallArguments a) { return methods.set_item(a); });
    cls.define("__delitem__", [methods](CallArguments a) { return methods.delete_item(a); });
    cls.define("append", [methods](CallArguments a) { return methods.append(a); });
    cls.define("extend", [methods](CallArguments a) { return methods.extend(a); });
    cls.define("insert", [methods](CallArguments a) { return methods.insert(a); });
    cls.define("pop", [methods](CallArguments a) { return methods.pop(a); });
    cls.define("__iadd__", [methods](CallArguments a) { return methods.extend(a); });
    if (keeps_names) {
        cls.define("__mul__", [methods](CallArguments arguments) {
            check_positional(arguments, "__mul__", 2, 2);
            const std::int64_t times = to_index(arguments.positional[1]);
            if (times <= 0)
                throw_value_error(concat("Non-positive multiplication factor ", times, " for <class '",
                                         "torch.nn.modules.container.Sequential'>"));
            std::vector<IValue> values;
            const std::vector<IValue> once = values_of(methods.entries(arguments));
            for (std::int64_t i = 0; i < times; ++i) values.insert(values.end(), once.begin(), once.end());
            return same_container(arguments.positional[0], numbered(std::move(values)));
        });
        cls.attributes().set("__rmul__", *cls.attributes().find("__mul__"));
    }
    cls.define("__add__", [methods](CallArguments arguments) {
        check_positional(arguments, "__add__", 2, 2);
        std::vector<IValue> values = values_of(methods.entries(arguments));
        for (const IValue& value : to_vector(arguments.positional[1])) values.push_back(value);
        return same_container(arguments.positional[0], numbered(std::move(values)));
    });
}

IValue dict_value(const Methods& methods, const CallArguments& arguments, const IValue& key) {
    for (const auto& [name, value] : methods.entries(arguments)) {
        if (key.is_string() && name == key.to_string()) return value;
    }
    throw_key_error(key);
}

void define_dict(ClassObject& cls, const Methods& methods) {
    cls.define("__getitem__", [methods](CallArguments arguments) {
        check_positional(arguments, "__getitem__", 2, 2);
        return dict_value(methods, arguments, arguments.positional[1]);
    });
    cls.define("__setitem__", [](CallArguments arguments) -> IValue {
        check_positional(arguments, "__setitem__", 3, 3);
        if (!arguments.positional[1].is_string()) {
            throw_type_error(concat("module name should be a string. Got ", type_name(arguments.positional[1])));
        }
        set_entry(module_self(arguments), arguments.positional[1].to_string(), arguments.positional[2]);
        return {};
    });
    cls.define("__delitem__", [methods](CallArguments arguments) -> IValue {
        check_positional(arguments, "__delitem__", 2, 2);
        dict_value(methods, arguments, arguments.positional[1]);
        delete_entry(module_self(arguments), arguments.positional[1].to_string());
        return {};
    });
    cls.define("pop", [methods](CallArguments arguments) {
        check_positional(arguments, "pop", 2, 2);
        const IValue out = dict_value(methods, arguments, arguments.positional[1]);
        delete_entry(module_self(arguments), arguments.positional[1].to_string());
        return out;
    });
    cls.define("keys", [methods](CallArguments arguments) {
        std::vector<IValue> out;
        for (const auto& [name, value] : methods.entries(arguments)) out.emplace_back(name);
        return make_list(std::move(out));
    });
    cls.define("values",
               [methods](CallArguments arguments) { return make_list(values_of(methods.entries(arguments))); });
    cls.define("items", [methods](CallArguments arguments) {
        std::vector<IValue> out;
        for (const auto& [name, value] : methods.entries(arguments)) out.push_back(make_tuple({IValue(name), value}));
        return make_list(std::move(out));
    });
    cls.define("clear", [methods](CallArguments arguments) -> IValue {
        replace_entries(module_self(arguments), methods.entries(arguments), {});
        return {};
    });
    cls.define("update", [](CallArguments arguments) -> IValue {
        check_positional(arguments, "update", 2, 2);
        nn::Module& self = module_self(arguments);
        const IValue& more = arguments.positional[1];
        const IValue items = more.is_dict() || more.is_object() ? call_method(more, "items", {}) : more;
        for (const IValue& item : to_vector(items)) {
            const std::vector<IValue> pair = to_vector(item);
            if (pair.size() != 2) throw_value_error("update() takes pairs of a name and a value");
            set_entry(self, str(pair[0]), pair[1]);
        }
        return {};
    });
}

}  // namespace

CallArguments container_arguments(CallArguments given) {
    CallArguments arguments = engine_values(behind_self(std::move(given)));
    for (IValue& value : arguments.positional) {
        const bool is_iterable = object_as<Iterator>(value) != nullptr || object_as<DictView>(value) != nullptr;
        if (is_iterable) value = make_list(to_vector(value));
    }
    return arguments;
}

void define_container_methods(ClassObject& cls) {
    const std::string& name = cls.name();
    const bool is_container = name == "Sequential" || name == "ModuleList" || name == "ModuleDict" ||
                              name == "ParameterList" || name == "ParameterDict";
    if (!is_container) return;
    const Methods methods{holds_parameters(cls)};
    define_shared(cls, methods, is_dict_like(cls));
    if (is_dict_like(cls))
        define_dict(cls, methods);
    else
        define_list(cls, methods);
}

}  // namespace loupe::python
