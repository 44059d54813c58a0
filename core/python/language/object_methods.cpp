// SPDX-License-Identifier: Apache-2.0
// Methods of object, type, BaseException and numbers; the special methods of built-in classes that a derived class
// reaches through super().
#include <array>
#include <cmath>
#include <cstdio>

#include "core/base/strings.h"
#include "core/python/language/arguments.h"
#include "core/python/language/big_integer.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/frame.h"
#include "core/python/language/key_lookup.h"
#include "core/python/language/list_items.h"
#include "core/python/language/super_object.h"

namespace loupe::python {
namespace {

IValue first(const CallArguments& a, std::string_view method) {
    if (a.positional.empty()) throw_type_error(concat("unbound method ", method, "() needs an argument"));
    return a.positional[0];
}

void define_object(ClassObject& object) {
    object.define("__init__", [](CallArguments) { return IValue(); });
    object.define_static("__new__", [](CallArguments a) {
        auto* cls = a.positional.empty() ? nullptr : object_as<ClassObject>(a.positional[0]);
        if (cls == nullptr) throw_type_error("object.__new__(X): X is not a type object");
        const IValue keep = a.positional[0];
        a.positional.erase(a.positional.begin());
        return cls->make_instance()(*cls, a).instance;
    });
    object.define("__setattr__", [](CallArguments a) -> IValue {
        check_positional(a, "__setattr__", 3, 3);
        if (auto* instance = object_as<Instance>(a.positional[0])) {
            instance->set_plain(str(a.positional[1]), std::move(a.positional[2]));
        } else {
            set_plain_attribute(a.positional[0], str(a.positional[1]), std::move(a.positional[2]));
        }
        return {};
    });
    object.define("__delattr__", [](CallArguments a) -> IValue {
        check_positional(a, "__delattr__", 2, 2);
        auto* instance = object_as<Instance>(a.positional[0]);
        const std::string name = str(a.positional[1]);
        if (instance == nullptr || !instance->attributes.erase(name)) throw_attribute_error(a.positional[0], name);
        return {};
    });
    object.define("__getattribute__", [](CallArguments a) {
        check_positional(a, "__getattribute__", 2, 2);
        return get_attribute(a.positional[0], str(a.positional[1]));
    });
    object.define("__repr__", [](CallArguments a) { return IValue(default_repr(first(a, "__repr__"))); });
    object.define("__str__", [](CallArguments a) {
        const IValue self = first(a, "__str__");
        if (const auto* exception = object_as<ExceptionObject>(self)) return IValue(exception->message());
        return IValue(repr(self));
    });
    object.define("__eq__", [](CallArguments a) {
        check_positional(a, "__eq__", 2, 2);
        return a.positional[0].is_same(a.positional[1]) ? IValue(true) : not_implemented();
    });
    object.define("__hash__", [](CallArguments a) {
        return IValue(static_cast<std::int64_t>(std::hash<const void*>{}(first(a, "__hash__").object_pointer()) >> 4U));
    });
    object.define("__format__", [](CallArguments a) { return IValue(str(first(a, "__format__"))); });
    object.define_class_method("__init_subclass__", [](CallArguments a) -> IValue {
        if (!a.keywords.empty()) throw_type_error("__init_subclass__() takes no keyword arguments");
        return {};
    });
}

void define_type(ClassObject& type) {
    type.define("mro", [](CallArguments a) { return make_list(to_vector(get_attribute(first(a, "mro"), "__mro__"))); });
    type.define("__call__", [](CallArguments a) {
        auto* cls = object_as<ClassObject>(first(a, "__call__"));
        if (cls == nullptr) throw_type_error("type.__call__ needs a class");
        const IValue keep = a.positional[0];
        a.positional.erase(a.positional.begin());
        return instantiate(*cls, std::move(a));
    });
    type.define("__init__", [](CallArguments) { return IValue(); });
    type.define_static("__new__", [](CallArguments a) {
        auto* meta = a.positional.empty() ? nullptr : object_as<ClassObject>(a.positional[0]);
        if (meta == nullptr) throw_type_error("type.__new__(X): X is not a type object");
        const IValue keep = IValue::other(Ptr<RefCounted>(meta));
        a.positional.erase(a.positional.begin());
        return meta->make_instance()(*meta, a).instance;
    });
}

void define_exception(ClassObject& cls) {
    cls.define("__init__", [](CallArguments a) -> IValue {
        auto* exception = object_as<ExceptionObject>(first(a, "__init__"));
        if (exception != nullptr) exception->args.assign(a.positional.begin() + 1, a.positional.end());
        return {};
    });
    cls.define("with_traceback", [](CallArguments a) { return first(a, "with_traceback"); });
    cls.define("add_note", [](CallArguments) { return IValue(); });
}

// The value itself, without what its class makes of it.
IValue bare(const IValue& value) {
    if (value.is_dict() && container_class(value.to_dict()) != nullptr) {
        auto dict = make_dict();
        const auto entries = value.to_dict().entries();
        for (const auto& [key, held] : entries) set_key(*dict, key, held);
        return IValue(dict);
    }
    if (value.is_list() && container_class(value.to_list()) != nullptr) return make_list(value.to_list().elements);
    if (value.is_tuple() && value.to_tuple().type) return make_tuple(value.to_tuple().elements);
    return plain(value);
}

void define_container_specials(ClassObject& cls) {
    cls.define("__getitem__", [](CallArguments a) {
        check_positional(a, "__getitem__", 2, 2);
        if (a.positional[0].is_dict()) {
            if (const IValue* found = find_key(a.positional[0].to_dict(), a.positional[1])) return *found;
            if (const ClassObject* derived = dynamic_class(a.positional[0])) {
                if (auto made = call_special(*derived, "__missing__", a.positional[0], {a.positional[1]})) return *made;
            }
            throw_key_error(a.positional[1]);
        }
        return get_item(bare(a.positional[0]), a.positional[1]);
    });
    cls.define("__contains__", [](CallArguments a) {
        check_positional(a, "__contains__", 2, 2);
        return IValue(contains(bare(a.positional[0]), a.positional[1]));
    });
    cls.define("__len__", [](CallArguments a) { return IValue(length(bare(first(a, "__len__")))); });
    cls.define("__iter__", [](CallArguments a) { return IValue::other(iterate(bare(first(a, "__iter__")))); });
    cls.define("__repr__", [](CallArguments a) { return IValue(default_repr(first(a, "__repr__"))); });
    cls.define("__eq__", [](CallArguments a) {
        check_positional(a, "__eq__", 2, 2);
        return IValue(equals(bare(a.positional[0]), bare(a.positional[1])));
    });
    cls.define("__add__", [](CallArguments a) {
        check_positional(a, "__add__", 2, 2);
        return binary(OperatorKind::Add, bare(a.positional[0]), bare(a.positional[1]));
    });
}

void define_mutable_specials(ClassObject& cls) {
    cls.define("__setitem__", [](CallArguments a) -> IValue {
        check_positional(a, "__setitem__", 3, 3);
        if (a.positional[0].is_dict()) {
            check_hashable(a.positional[1]);
            set_key(a.positional[0].to_dict(), a.positional[1], a.positional[2]);
            return {};
        }
        set_list_item(a.positional[0], a.positional[1], a.positional[2]);
        return {};
    });
    cls.define("__delitem__", [](CallArguments a) -> IValue {
        check_positional(a, "__delitem__", 2, 2);
        if (a.positional[0].is_dict()) {
            if (!take_key(a.positional[0].to_dict(), a.positional[1])) throw_key_error(a.positional[1]);
            return {};
        }
        delete_list_item(a.positional[0], a.positional[1]);
        return {};
    });
}

double real_of(const CallArguments& a) { return to_float(first(a, "float method")); }

std::string hex_of(double value) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%a", value);
    return text.data();
}

}  // namespace

void define_object_methods(BuiltinClasses& classes) {
    define_object(*classes.object);
    define_type(*classes.type);
    define_exception(*classes.base_exception);
    for (const ClassPtr& cls :
         {classes.dict, classes.list, classes.tuple, classes.string, classes.set, classes.frozenset})
        define_container_specials(*cls);
    for (const ClassPtr& cls : {classes.dict, classes.list}) define_mutable_specials(*cls);
}

namespace {

IValue integer_self(const IValue& self) {
    const IValue& value = plain(self);
    return is_big_integer(value) ? value : IValue(to_index(value));
}

}  // namespace

void define_number_methods(BuiltinClasses& classes) {
    classes.integer->define("bit_length",
                            [](CallArguments a) { return IValue(integer_bits(integer_self(first(a, "bit_length")))); });
    classes.integer->define(
        "bit_count", [](CallArguments a) { return IValue(integer_bit_count(integer_self(first(a, "bit_count")))); });
    classes.integer->define("to_bytes", [](CallArguments a) {
        const BoundArguments given(a, "to_bytes", {"self", "length=", "byteorder=", "*", "signed="});
        const std::string order = given.has(2) ? str(given[2]) : "big";
        if (order != "little" && order != "big") throw_value_error("byteorder must be either 'little' or 'big'");
        return make_bytes(
            integer_to_bytes(integer_self(given[0]), given.int_or(1, 1), order == "little", given.truth_or(3, false)));
    });
    classes.integer->define_class_method("from_bytes", [](CallArguments a) {
        const BoundArguments given(a, "from_bytes", {"cls", "bytes", "byteorder=", "*", "signed="});
        const std::string order = given.has(2) ? str(given[2]) : "big";
        if (order != "little" && order != "big") throw_value_error("byteorder must be either 'little' or 'big'");
        std::string bytes;
        if (const auto* held = object_as<BytesObject>(given[1]))
            bytes = held->data;
        else
            for (const IValue& value : to_vector(given[1])) bytes += static_cast<char>(to_index(value));
        return integer_from_bytes(bytes, order == "little", given.truth_or(3, false));
    });
    classes.integer->define("conjugate", [](CallArguments a) { return first(a, "conjugate"); });
    for (const char* name : {"real", "numerator"}) {
        classes.integer->define_property(name, [](const IValue& self) { return integer_self(self); });
    }
    classes.integer->define_property("imag", [](const IValue&) { return IValue(0); });
    classes.integer->define_property("denominator", [](const IValue&) { return IValue(1); });
    classes.floating->define("is_integer", [](CallArguments a) {
        const double value = real_of(a);
        return IValue(std::isfinite(value) && std::floor(value) == value);
    });
    classes.floating->define("hex", [](CallArguments a) { return IValue(hex_of(real_of(a))); });
    classes.floating->define("as_integer_ratio", [](CallArguments a) {
        double value = real_of(a);
        std::int64_t denominator = 1;
        while (std::floor(value) != value && denominator < (std::int64_t{1} << 61)) {
            value *= 2;
            denominator *= 2;
        }
        return make_tuple({IValue(static_cast<std::int64_t>(value)), IValue(denominator)});
    });
    classes.floating->define_property("real", [](const IValue& self) { return IValue(to_float(self)); });
    classes.floating->define_property("imag", [](const IValue&) { return IValue(0.0); });
    classes.complex->define_property("real", [](const IValue& self) { return IValue(self.to_complex().real()); });
    classes.complex->define_property("imag", [](const IValue& self) { return IValue(self.to_complex().imag()); });
    classes.complex->define("conjugate",
                            [](CallArguments a) { return IValue(std::conj(first(a, "conjugate").to_complex())); });
}

}  // namespace loupe::python
