// SPDX-License-Identifier: Apache-2.0
// What objects do by default.
#include "core/python/language/object.h"

#include "core/base/strings.h"
#include "core/python/language/builtin_objects.h"

namespace loupe::python {
namespace {

IValue self_of(PythonObject* object) { return IValue::other(Ptr<RefCounted>(object)); }

}  // namespace

std::optional<IValue> PythonObject::find_attribute(std::string_view name) {
    const IValue self = self_of(this);
    const ClassPtr cls = class_of(self);
    if (const IValue* found = cls->find(name)) return bind_attribute(*found, &self, cls);
    if (name == "__class__") return IValue::other(cls);
    if (name == "__name__" || name == "__qualname__") return IValue(describe());
    return std::nullopt;
}

void PythonObject::set_attribute(std::string_view name, IValue) {
    const IValue self = self_of(this);
    if (!find_attribute(name)) throw_attribute_error(self, name);
    throw_error("AttributeError", concat("'", type_name(), "' object attribute '", name, "' is read-only"));
}

void PythonObject::delete_attribute(std::string_view name) { throw_attribute_error(self_of(this), name); }

IValue PythonObject::get_item(const IValue&) {
    throw_type_error(concat("'", type_name(), "' object is not subscriptable"));
}

void PythonObject::set_item(const IValue&, IValue) {
    throw_type_error(concat("'", type_name(), "' object does not support item assignment"));
}

Ptr<Iterator> PythonObject::iterate() { throw_type_error(concat("'", type_name(), "' object is not iterable")); }

std::optional<std::int64_t> PythonObject::length() { return std::nullopt; }

std::string PythonObject::repr() {
    const std::string name = describe();
    if (type_name() == "builtin_function_or_method") return concat("<built-in function ", name, ">");
    return concat("<", type_name(), " object at ", address_text(this), ">");
}

IValue PythonObject::call(CallArguments) { throw_type_error(concat("'", type_name(), "' object is not callable")); }

}  // namespace loupe::python
