// SPDX-License-Identifier: Apache-2.0
// isinstance() and callable().
#include <algorithm>

#include "core/python/language/builtin_objects.h"
#include "core/python/language/foreign_type.h"
#include "core/python/language/frame.h"
#include "core/python/language/missing_name.h"

namespace loupe::python {

bool is_instance(const IValue& value, const IValue& type) {
    if (type.is_tuple()) {
        const auto& types = type.to_tuple().elements;
        return std::any_of(types.begin(), types.end(), [&](const IValue& t) { return is_instance(value, t); });
    }
    if (type.is_none()) return value.is_none();
    if (object_as<MissingName>(type) != nullptr) return false;  // nothing is an instance of what is not here
    if (auto* cls = object_as<ClassObject>(type)) {
        if (cls->metaclass()) {
            const IValue* check = cls->metaclass()->find("__instancecheck__");
            if (check != nullptr) return truth(call(*check, {type, value}));
        }
        return class_of(value)->is_subclass_of(*cls);
    }
    if (const auto* typing = object_as<TypingObject>(type)) {
        if (typing->is_union) {
            return std::any_of(typing->arguments.begin(), typing->arguments.end(),
                               [&](const IValue& t) { return is_instance(value, t); });
        }
        if (typing->name == "typing.Callable") return is_callable(value);
        if (typing->name == "typing.Iterable" || typing->name == "typing.Sequence") return is_iterable(value);
        if (typing->name == "typing.Collection") return is_iterable(value) && find_length(value).has_value();
        if (typing->name == "typing.Iterator") return find_attribute(value, "__next__").has_value();
        if (typing->name == "typing.Hashable") {
            try {
                check_hashable(value);
                return true;
            } catch (const PythonError&) {
                return false;
            }
        }
        if (typing->origin) return class_of(value)->is_subclass_of(*typing->origin);
    }
    if (object_as<PythonObject>(type) != nullptr) {
        if (auto method = find_attribute(type, "__instancecheck__"))
            return truth(call(*method, std::vector<IValue>{value}));
    }
    throw_type_error("isinstance() arg 2 must be a type, a tuple of types, or a union");
}

bool is_callable(const IValue& value) {
    if (object_as<FunctionObject>(value) || object_as<ClassObject>(value) || object_as<NativeCallable>(value) ||
        object_as<NativeMethod>(value) || object_as<BoundMethod>(value) || object_as<TypingObject>(value)) {
        return true;
    }
    if (const ClassObject* cls = dynamic_class(value)) return cls->find("__call__") != nullptr;
    if (is_foreign(value)) return foreign_type(value).is_callable(value);
    const auto* object = object_as<PythonObject>(value);
    return object == nullptr && value.is_other() && dynamic_cast<Callable*>(value.object_pointer()) != nullptr;
}

}  // namespace loupe::python
