// SPDX-License-Identifier: Apache-2.0
// Classes as objects of a program: their attributes, calls, items.
#include "core/base/strings.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/frame.h"

namespace loupe::python {
namespace {

IValue class_value(const ClassObject* cls) {
    return IValue::other(Ptr<RefCounted>(const_cast<ClassObject*>(cls)));  // counted, never changed through it
}

}  // namespace

std::optional<IValue> ClassObject::find_attribute(std::string_view name) {
    if (name == "__name__") return IValue(name_);
    if (name == "__qualname__") return IValue(qualified_name());
    if (name == "__class__") return IValue::other(class_of(class_value(this)));
    if (name == "__mro__" || name == "__bases__") {
        std::vector<IValue> classes;
        if (name == "__mro__") {
            for (ClassObject* cls : mro_) classes.push_back(class_value(cls));
        } else {
            for (const ClassPtr& base : bases_) classes.push_back(IValue::other(base));
        }
        return make_tuple(std::move(classes));
    }
    if (name == "__dict__") {
        auto dict = make_dict();
        for (const auto& [key, value] : attributes_.entries()) dict->set(IValue(key), value);
        return IValue(dict);
    }
    if (name == "__annotations__") {  // of this class alone
        if (attributes_.find(name) == nullptr) attributes_.set(name, make_dict());
        return *attributes_.find(name);
    }
    if (const IValue* found = find(name)) {
        if (name == "__module__" || name == "__doc__") return *found;
        return bind_attribute(*found, nullptr, ClassPtr(this));
    }
    if (name == "__module__") return IValue(module_);
    if (name == "__doc__") return IValue();
    const IValue self = class_value(this);
    const ClassPtr meta = class_of(self);
    if (const IValue* found = meta->find(name)) return bind_attribute(*found, &self, meta);
    if (const IValue* fallback = metaclass_ ? metaclass_->find("__getattr__") : nullptr) {
        return python::call(*fallback, {self, IValue(name)});
    }
    return std::nullopt;
}

void ClassObject::set_attribute(std::string_view name, IValue value) {
    if (is_builtin_) throw_type_error(concat("cannot set '", name, "' attribute of immutable type '", name_, "'"));
    if (metaclass_) {
        if (const IValue* setter = metaclass_->find("__setattr__");
            setter != nullptr && object_as<FunctionObject>(*setter)) {
            python::call(*setter, {class_value(this), IValue(name), std::move(value)});
            return;
        }
    }
    if (name == "__name__" && value.is_string()) name_ = value.to_string();
    attributes_.set(name, std::move(value));
}

void ClassObject::delete_attribute(std::string_view name) {
    if (is_builtin_ || !attributes_.erase(name)) {
        throw_error("AttributeError", concat("type object '", name_, "' has no attribute '", name, "'"));
    }
}

IValue ClassObject::get_item(const IValue& key) {
    const IValue self = class_value(this);
    if (metaclass_) {
        if (auto item = call_special(*metaclass_, "__getitem__", self, {key})) return *item;
    }
    if (auto method = find_attribute("__class_getitem__")) return python::call(*method, {key});
    auto alias = make_ptr<TypingObject>();
    alias->name = is_builtin_ ? name_ : concat(module_, ".", qualified_name());
    alias->origin = ClassPtr(this);
    return alias->get_item(key);
}

Ptr<Iterator> ClassObject::iterate() {
    if (metaclass_) {
        if (auto iterator = call_special(*metaclass_, "__iter__", class_value(this))) return python::iterate(*iterator);
    }
    throw_type_error(concat("'type' object is not iterable"));
}

std::optional<std::int64_t> ClassObject::length() {
    if (metaclass_) {
        if (auto size = call_special(*metaclass_, "__len__", class_value(this))) return to_index(*size);
    }
    return std::nullopt;
}

std::string ClassObject::repr() {
    if (metaclass_) {
        const IValue* found = metaclass_->find("__repr__");
        if (found != nullptr && object_as<FunctionObject>(*found)) {
            return python::call(*found, {class_value(this)}).to_string();
        }
    }
    if (module_.empty() || module_ == "builtins") return concat("<class '", qualified_name(), "'>");
    return concat("<class '", module_, ".", qualified_name(), "'>");
}

IValue ClassObject::call(CallArguments arguments) {
    if (metaclass_) {
        const IValue* found = metaclass_->find("__call__");
        if (found != nullptr && object_as<FunctionObject>(*found)) {
            arguments.positional.insert(arguments.positional.begin(), class_value(this));
            return python::call(*found, std::move(arguments));
        }
    }
    return instantiate(*this, std::move(arguments));
}

}  // namespace loupe::python
