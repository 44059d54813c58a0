// SPDX-License-Identifier: Apache-2.0
#include "core/python/language/super_object.h"

#include "core/base/strings.h"
#include "core/python/language/arguments.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/frame.h"

namespace loupe::python {
namespace {

IValue self_of(const Frame& frame) {
    if (frame.code.params.empty()) throw_error("RuntimeError", "super(): no arguments");
    const NamePlace place = frame.code.param_places.front();
    const IValue& value = place.kind == NameKind::Cell ? frame.cells[place.slot]->value : frame.locals[place.slot];
    if (is_unbound(value)) throw_error("RuntimeError", "super(): arg[0] deleted");
    return value;
}

ClassPtr class_cell_of(const Frame& frame) {
    for (std::size_t i = 0; i < frame.cells.size(); ++i) {
        if (frame.code.cells[i] != "__class__") continue;
        if (auto* cls = object_as<ClassObject>(frame.cells[i]->value)) return ClassPtr(cls);
        throw_error("RuntimeError", "super(): empty __class__ cell");
    }
    throw_error("RuntimeError", "super(): __class__ cell not found");
}

}  // namespace

IValue make_super(CallArguments a) {
    ClassPtr after;
    IValue self;
    if (a.positional.empty()) {
        const Frame* frame = thread_state().top;
        if (frame == nullptr) throw_error("RuntimeError", "super(): no current frame");
        after = class_cell_of(*frame);
        self = self_of(*frame);
    } else {
        check_positional(a, "super", 2, 2);
        auto* cls = object_as<ClassObject>(a.positional[0]);
        if (cls == nullptr)
            throw_type_error(concat("super() argument 1 must be a type, not ", type_name(a.positional[0])));
        after = ClassPtr(cls);
        self = a.positional[1];
    }
    auto* as_class = object_as<ClassObject>(self);
    if (as_class != nullptr && as_class->is_subclass_of(*after)) {
        return IValue::other(make_ptr<SuperObject>(after, self, ClassPtr(as_class)));
    }
    const ClassPtr cls = class_of(self);
    if (!cls->is_subclass_of(*after)) {
        throw_type_error("super(type, obj): obj must be an instance or subtype of type");
    }
    return IValue::other(make_ptr<SuperObject>(after, self, cls));
}

std::optional<IValue> SuperObject::find_attribute(std::string_view name) {
    const IValue* found = cls->find_after(*after, name);
    if (found == nullptr) {
        if (name == "__class__") return PythonObject::find_attribute(name);
        return std::nullopt;
    }
    const bool is_class = object_as<ClassObject>(self) != nullptr && object_as<ClassObject>(self) == cls.get();
    if (!is_class) return bind_attribute(*found, &self, cls);
    return bind_attribute(*found, nullptr, cls);
}

void SuperObject::set_attribute(std::string_view name, IValue value) {
    const IValue* found = cls->find_after(*after, name);
    auto* property = found != nullptr ? object_as<Property>(*found) : nullptr;
    if (property == nullptr || property->setter.is_none())
        throw_attribute_error(IValue::other(Ptr<RefCounted>(this)), name);
    python::call(property->setter, {self, std::move(value)});
}

IValue SuperObject::get_item(const IValue& key) {
    const auto method = find_attribute("__getitem__");
    if (!method) throw_type_error("'super' object is not subscriptable");
    return python::call(*method, std::vector<IValue>{key});
}

std::string SuperObject::repr() { return concat("<super: <class '", after->name(), "'>, <", cls->name(), " object>>"); }

}  // namespace loupe::python
