// SPDX-License-Identifier: Apache-2.0
// Classes of values, attributes, methods, calls.
#include <algorithm>

#include "core/base/strings.h"
#include "core/python/language/arguments.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/decorated_function.h"
#include "core/python/language/evaluator_state.h"
#include "core/python/language/foreign_type.h"
#include "core/python/language/frame.h"
#include "core/python/language/key_lookup.h"
#include "core/python/language/slots.h"

namespace loupe::python {
namespace {

// A list or dict of a derived class has attributes of its own.
const AttributeMap* own_attributes(const IValue& object) {
    const ContainerClass* mark = object.is_list()   ? container_class(object.to_list())
                                 : object.is_dict() ? container_class(object.to_dict())
                                                    : nullptr;
    return mark != nullptr ? &mark->attributes : nullptr;
}

IValue attributes_dict(const AttributeMap& attributes) {
    auto dict = make_dict();
    for (const auto& [key, value] : attributes.entries()) dict->set(IValue(key), value);
    return dict;
}

Instance& owner_of(const CallArguments& a) {
    const ContainerClass* mark =
        a.positional.empty() || !a.positional[0].is_dict() ? nullptr : container_class(a.positional[0].to_dict());
    const IValue* owner = mark != nullptr ? mark->attributes.find("owner") : nullptr;
    auto* instance = owner != nullptr ? object_as<Instance>(*owner) : nullptr;
    if (instance == nullptr) throw_type_error("expected the __dict__ of an object");
    return *instance;
}

void put(const CallArguments& a, const IValue& key, const IValue& value) {
    check_hashable(key);
    set_key(a.positional[0].to_dict(), key, value);
    owner_of(a).attributes.set(str(key), value);
}

IValue take(const CallArguments& a, std::string_view method) {
    check_positional(a, method, 2, method == "pop" ? 3 : 2);
    DictObject& dict = a.positional[0].to_dict();
    const IValue* found = find_key(dict, a.positional[1]);
    if (found == nullptr && a.positional.size() == 3) return a.positional[2];
    if (found == nullptr) throw_key_error(a.positional[1]);
    const IValue value = *found;
    take_key(dict, a.positional[1]);
    owner_of(a).attributes.erase(str(a.positional[1]));
    return value;
}

// The class of an object's __dict__: what is put into it is put into the object.
ClassPtr make_attribute_dict_class() {
    const EvaluatorScope outside(nullptr);
    auto cls = make_ptr<ClassObject>("dict", "", std::vector<ClassPtr>{builtin_classes().dict});
    cls->define("__setitem__", [](CallArguments a) -> IValue {
        check_positional(a, "__setitem__", 3, 3);
        put(a, a.positional[1], a.positional[2]);
        return {};
    });
    cls->define("update", [](CallArguments a) -> IValue {
        const auto added = make_dict();
        if (a.positional.size() > 1) update_dict(*added, a.positional[1]);
        for (const auto& [name, value] : a.keywords) set_key(*added, IValue(name), value);
        for (const auto& [key, value] : added->entries()) put(a, key, value);
        return {};
    });
    cls->define("setdefault", [](CallArguments a) {
        check_positional(a, "setdefault", 2, 3);
        if (const IValue* found = find_key(a.positional[0].to_dict(), a.positional[1])) return *found;
        const IValue value = a.positional.size() == 3 ? a.positional[2] : IValue();
        put(a, a.positional[1], value);
        return value;
    });
    cls->define("pop", [](CallArguments a) { return take(a, "pop"); });
    cls->define("__delitem__", [](CallArguments a) -> IValue {
        take(a, "__delitem__");
        return {};
    });
    cls->define("clear", [](CallArguments a) -> IValue {
        owner_of(a).attributes.clear();
        a.positional[0].to_dict().clear();
        return {};
    });
    cls->define("copy", [](CallArguments a) -> IValue {
        const auto out = make_dict();
        for (const auto& [key, value] : a.positional.at(0).to_dict().entries()) out->set(key, value);
        return IValue(out);
    });
    return cls;
}

bool names_slot(const IValue& slots, std::string_view name) {
    if (slots.is_string()) return slots.to_string() == name;
    bool found = false;
    for_each(slots, [&](const IValue& slot) {
        found = slot.is_string() && slot.to_string() == name;
        return !found;
    });
    return found;
}

IValue live_dict(Instance& instance) {
    static const ClassPtr cls = make_attribute_dict_class();
    const auto mark = make_ptr<ContainerClass>(cls);
    mark->attributes.set("owner", IValue::other(Ptr<RefCounted>(&instance)));
    auto dict = make_ptr<DictObject>(types::any(), mark);
    const bool has_slots = instance.cls()->find("__slots__") != nullptr;
    for (const auto& [key, value] : instance.attributes.entries()) {
        if (!has_slots || !is_slot(*instance.cls(), key)) dict->set(IValue(key), value);
    }
    return IValue(dict);
}

std::optional<IValue> container_attribute(const IValue& object, std::string_view name) {
    if (const AttributeMap* own = own_attributes(object)) {
        if (const IValue* found = own->find(name)) return *found;
        if (name == "__dict__") return attributes_dict(*own);
    }
    if (auto found = find_class_attribute(object, name)) return found;
    if (ClassObject* cls = dynamic_class(object)) return call_special(*cls, "__getattr__", object, {IValue(name)});
    return std::nullopt;
}

// A field of a named tuple that the engine made: torch.max(x, 0).values.
std::optional<IValue> engine_field(const TupleObject& tuple, std::string_view name) {
    const auto* type = tuple.type ? tuple.type->as<TupleType>() : nullptr;
    if (type == nullptr || type->fields().size() != tuple.elements.size()) return std::nullopt;
    const auto found = std::find(type->fields().begin(), type->fields().end(), name);
    if (found == type->fields().end()) return std::nullopt;
    return tuple.elements[static_cast<std::size_t>(found - type->fields().begin())];
}

bool is_data_descriptor(const IValue& attribute) {
    if (!attribute.is_other()) return false;
    if (object_as<Property>(attribute) != nullptr) return true;
    const auto* instance = object_as<Instance>(attribute);
    return instance != nullptr && instance->cls()->find("__set__") != nullptr;
}

}  // namespace

std::optional<IValue> find_class_attribute(const IValue& object, std::string_view name) {
    const ClassPtr cls = class_of(object);
    if (const IValue* found = cls->find(name)) return bind_attribute(*found, &object, cls);
    if (name == "__class__") return IValue::other(cls);
    return std::nullopt;
}

ClassPtr class_of(const IValue& value) {
    const BuiltinClasses& classes = builtin_classes();
    switch (value.tag()) {
        case IValue::Tag::None:
            return classes.none;
        case IValue::Tag::Bool:
            return classes.boolean;
        case IValue::Tag::Int:
            return classes.integer;
        case IValue::Tag::Double:
            return classes.floating;
        case IValue::Tag::Complex:
            return classes.complex;
        case IValue::Tag::String:
            return classes.string;
        case IValue::Tag::List:
        case IValue::Tag::Tuple:
        case IValue::Tag::Dict:
            if (ClassObject* cls = dynamic_class(value)) return ClassPtr(cls);
            return value.is_list() ? classes.list : value.is_tuple() ? classes.tuple : classes.dict;
        case IValue::Tag::Other:
            break;
        default:
            return foreign_type(value).class_of(value);
    }
    if (const auto* instance = object_as<Instance>(value)) return instance->cls();
    if (const auto* cls = object_as<ClassObject>(value)) return cls->metaclass() ? cls->metaclass() : classes.type;
    if (object_as<FunctionObject>(value) != nullptr) return classes.function;
    if (const auto* object = object_as<PythonObject>(value)) return named_class(object->type_name());
    return classes.object;
}

ClassObject* dynamic_class(const IValue& value) {
    switch (value.tag()) {
        case IValue::Tag::List: {
            const ContainerClass* mark = container_class(value.to_list());
            return mark != nullptr ? mark->cls.get() : nullptr;
        }
        case IValue::Tag::Dict: {
            const ContainerClass* mark = container_class(value.to_dict());
            return mark != nullptr ? mark->cls.get() : nullptr;
        }
        case IValue::Tag::Tuple: {
            const auto& type = value.to_tuple().type;
            Evaluator* const evaluator = type ? Evaluator::current() : nullptr;
            if (evaluator == nullptr) return nullptr;
            const auto& known = evaluator->state().tuple_classes;
            const auto found = known.find(type.get());
            return found != known.end() ? found->second.get() : nullptr;
        }
        case IValue::Tag::Other:
            if (const auto* instance = object_as<Instance>(value)) return instance->cls().get();
            if (const auto* cls = object_as<ClassObject>(value)) return cls->metaclass().get();
            return nullptr;
        default:
            return is_foreign(value) ? foreign_type(value).dynamic_class(value) : nullptr;
    }
}

std::string type_name(const IValue& value) {
    if (value.is_other()) {
        if (const auto* object = object_as<PythonObject>(value); object != nullptr && !object_as<ClassObject>(value)) {
            return object->type_name();
        }
    }
    return class_of(value)->name();
}

std::optional<IValue> call_special(const ClassObject& cls, std::string_view name, const IValue& self,
                                   std::vector<IValue> arguments) {
    const IValue* found = cls.find_special(name);
    if (found == nullptr || found->is_none()) return std::nullopt;
    CallArguments given;
    if (object_as<MethodWrapper>(*found) == nullptr) given.positional.push_back(self);
    for (IValue& argument : arguments) given.positional.push_back(std::move(argument));
    const IValue method = *found;  // the class may change meanwhile
    return call(method, std::move(given));
}

IValue bind_attribute(const IValue& attribute, const IValue* instance, const ClassPtr& cls) {
    if (!attribute.is_other()) return attribute;
    if (auto* wrapper = object_as<MethodWrapper>(attribute)) {
        if (wrapper->kind == MethodWrapper::Kind::Static) return wrapper->function;
        return IValue::other(make_ptr<BoundMethod>(
            instance != nullptr && object_as<ClassObject>(*instance) != nullptr ? *instance : IValue::other(cls),
            wrapper->function));
    }
    if (auto* descriptor = object_as<Instance>(attribute)) {
        const IValue* getter = descriptor->cls()->find("__get__");
        if (getter == nullptr) return attribute;
        return *call_special(*descriptor->cls(), "__get__", attribute,
                             {instance != nullptr ? *instance : IValue(), IValue::other(cls)});
    }
    if (instance == nullptr) return attribute;
    if (auto* property = object_as<Property>(attribute)) {
        if (property->native_getter) return property->native_getter(*instance);
        if (property->getter.is_none()) throw_error("AttributeError", "unreadable attribute");
        return call(property->getter, std::vector<IValue>{*instance});
    }
    if (object_as<FunctionObject>(attribute) != nullptr || object_as<NativeMethod>(attribute) != nullptr ||
        object_as<DecoratedFunction>(attribute) != nullptr) {
        return IValue::other(make_ptr<BoundMethod>(*instance, attribute));
    }
    return attribute;
}

std::optional<IValue> find_attribute(const IValue& object, std::string_view name) {
    switch (object.tag()) {
        case IValue::Tag::List:
        case IValue::Tag::Dict:
            return container_attribute(object, name);
        case IValue::Tag::Tuple:
            if (auto field = engine_field(object.to_tuple(), name)) return field;
            return find_class_attribute(object, name);
        case IValue::Tag::Other:
            if (auto* python_object = object_as<PythonObject>(object)) return python_object->find_attribute(name);
            return std::nullopt;
        default:
            return is_foreign(object) ? foreign_type(object).attribute(object, name)
                                      : find_class_attribute(object, name);
    }
}

IValue get_attribute(const IValue& object, std::string_view name) {
    if (auto found = find_attribute(object, name)) return std::move(*found);
    throw_attribute_error(object, name);
}

void set_attribute(const IValue& object, std::string_view name, IValue value) {
    if (ClassObject* cls = object.is_other() ? nullptr : dynamic_class(object)) {
        const IValue* setter = cls->find("__setattr__");
        const bool is_container = object.is_list() || object.is_dict();
        const bool is_own =
            setter != nullptr && (object_as<FunctionObject>(*setter) != nullptr ||
                                  (is_container && !setter->is_same(*builtin_classes().object->find("__setattr__"))));
        if (is_own) {
            call_special(*cls, "__setattr__", object, {IValue(name), std::move(value)});
            return;
        }
    }
    if (auto* python_object = object_as<PythonObject>(object))
        return python_object->set_attribute(name, std::move(value));
    set_plain_attribute(object, name, std::move(value));
}

void set_plain_attribute(const IValue& object, std::string_view name, IValue value) {
    if (is_foreign(object) && foreign_type(object).set_attribute(object, name, value)) return;
    if (const AttributeMap* own = own_attributes(object)) {
        const_cast<AttributeMap*>(own)->set(name, std::move(value));  // declared mutable where it lives
        return;
    }
    if (auto* cls = object_as<ClassObject>(object); cls != nullptr && !cls->is_builtin()) {
        cls->attributes().set(name, std::move(value));
        return;
    }
    if (find_attribute(object, name)) {
        throw_error("AttributeError",
                    object.is_tuple() && dynamic_class(object) != nullptr
                        ? std::string("can't set attribute")
                        : concat("'", type_name(object), "' object attribute '", name, "' is read-only"));
    }
    throw_attribute_error(object, name);
}

void delete_attribute(const IValue& object, std::string_view name) {
    if (auto* python_object = object_as<PythonObject>(object)) return python_object->delete_attribute(name);
    if (is_foreign(object) && foreign_type(object).delete_attribute(object, name)) return;
    if (const AttributeMap* own = own_attributes(object)) {
        const ClassObject* cls = dynamic_class(object);
        const IValue* deleter = cls->find("__delattr__");
        if (deleter != nullptr && !deleter->is_same(*builtin_classes().object->find("__delattr__"))) {
            call_special(*cls, "__delattr__", object, {IValue(name)});
            return;
        }
        if (const_cast<AttributeMap*>(own)->erase(name)) return;
    }
    throw_attribute_error(object, name);
}

IValue call(const IValue& callee, CallArguments arguments) {
    if (auto* function = object_as<FunctionObject>(callee)) return call_function(*function, arguments);
    if (callee.is_other()) {
        const Ptr<RefCounted> keep = callee.to_other();
        if (auto* callable = dynamic_cast<Callable*>(keep.get())) {
            check_stack();
            return callable->call(std::move(arguments));
        }
    }
    if (is_foreign(callee)) {
        if (auto result = foreign_type(callee).call(callee, arguments)) return std::move(*result);
    }
    if (ClassObject* cls = dynamic_class(callee)) {
        if (const IValue* method = cls->find("__call__")) {
            arguments.positional.insert(arguments.positional.begin(), callee);
            return call(*method, std::move(arguments));
        }
    }
    throw_type_error(concat("'", type_name(callee), "' object is not callable"));
}

IValue call(const IValue& callee, std::vector<IValue> positional) {
    CallArguments arguments;
    arguments.positional = std::move(positional);
    return call(callee, std::move(arguments));
}

IValue call_method(const IValue& object, std::string_view name, CallArguments arguments) {
    if (is_foreign(object)) {
        if (auto result = foreign_type(object).call_method(object, name, arguments)) return std::move(*result);
        return call(get_attribute(object, name), std::move(arguments));
    }
    const auto* instance = object_as<Instance>(object);
    const bool is_plain = !object.is_other() && own_attributes(object) == nullptr;
    if (is_plain || (instance != nullptr && instance->attributes.find(name) == nullptr)) {
        const ClassPtr cls = class_of(object);
        if (const IValue* method = cls->find(name)) {
            const bool takes_self = object_as<FunctionObject>(*method) != nullptr ||
                                    object_as<NativeMethod>(*method) != nullptr ||
                                    object_as<DecoratedFunction>(*method) != nullptr;
            if (takes_self) {
                const IValue keep = *method;
                arguments.positional.insert(arguments.positional.begin(), object);
                return call(keep, std::move(arguments));
            }
        }
    }
    return call(get_attribute(object, name), std::move(arguments));
}

bool is_slot(const ClassObject& cls, std::string_view name) {
    return std::any_of(cls.mro().begin(), cls.mro().end(), [&](const ClassObject* base) {
        const IValue* slots = base->attributes().find("__slots__");
        return slots != nullptr && names_slot(*slots, name);
    });
}

bool has_dict(const ClassObject& cls) {
    return std::any_of(cls.mro().begin(), cls.mro().end(), [](const ClassObject* base) {
        if (base == builtin_classes().object.get() || base->attributes().find("__is_typing_base__") != nullptr)
            return false;
        const IValue* slots = base->attributes().find("__slots__");
        return slots == nullptr || names_slot(*slots, "__dict__");
    });
}

std::optional<IValue> Instance::find_attribute(std::string_view name) {
    const IValue self = IValue::other(Ptr<RefCounted>(this));
    const IValue* in_class = cls_->find(name);
    if (in_class != nullptr && is_data_descriptor(*in_class)) return bind_attribute(*in_class, &self, cls_);
    if (const IValue* own = attributes.find(name)) return *own;
    if (in_class != nullptr) return bind_attribute(*in_class, &self, cls_);
    if (name == "__class__") return IValue::other(cls_);
    if (name == "__dict__") return has_dict(*cls_) ? std::optional(live_dict(*this)) : std::nullopt;
    return call_special(*cls_, "__getattr__", self, {IValue(name)});
}

void Instance::set_attribute(std::string_view name, IValue value) {
    const IValue self = IValue::other(Ptr<RefCounted>(this));
    const IValue* setter = cls_->find("__setattr__");
    if (setter != nullptr && object_as<FunctionObject>(*setter) != nullptr) {
        call_special(*cls_, "__setattr__", self, {IValue(name), std::move(value)});
        return;
    }
    set_plain(name, std::move(value));
}

void Instance::set_plain(std::string_view name, IValue value) {
    const IValue self = IValue::other(Ptr<RefCounted>(this));
    const IValue* in_class = cls_->find(name);
    if (auto* property = in_class != nullptr ? object_as<Property>(*in_class) : nullptr) {
        if (property->native_setter) return property->native_setter(self, std::move(value));
        if (property->setter.is_none()) {
            throw_error("AttributeError", concat("property '", name, "' of '", cls_->name(), "' object has no setter"));
        }
        python::call(property->setter, {self, std::move(value)});
        return;
    }
    if (in_class != nullptr && is_data_descriptor(*in_class)) {
        call_special(*object_as<Instance>(*in_class)->cls(), "__set__", *in_class, {self, std::move(value)});
        return;
    }
    if (name == "__class__") {
        if (auto* cls = object_as<ClassObject>(value)) {
            cls_ = ClassPtr(cls);
            return;
        }
    }
    if (cls_ == builtin_classes().object) throw_attribute_error(self, name);
    const bool is_new = attributes.find(name) == nullptr;
    if (is_new && cls_->find("__slots__") != nullptr && !is_slot(*cls_, name) && !has_dict(*cls_))
        throw_attribute_error(self, name);
    attributes.set(name, std::move(value));
}

void Instance::delete_attribute(std::string_view name) {
    const IValue self = IValue::other(Ptr<RefCounted>(this));
    const IValue* deleter = cls_->find("__delattr__");
    if (deleter != nullptr && object_as<FunctionObject>(*deleter) != nullptr) {
        call_special(*cls_, "__delattr__", self, {IValue(name)});
        return;
    }
    const IValue* in_class = cls_->find(name);
    if (auto* property = in_class != nullptr ? object_as<Property>(*in_class) : nullptr) {
        if (property->deleter.is_none()) {
            throw_error("AttributeError",
                        concat("property '", name, "' of '", cls_->name(), "' object has no deleter"));
        }
        python::call(property->deleter, std::vector<IValue>{self});
        return;
    }
    if (!attributes.erase(name)) throw_attribute_error(self, name);
}

IValue Instance::call(CallArguments arguments) {
    const IValue self = IValue::other(Ptr<RefCounted>(this));
    const IValue* method = cls_->find("__call__");
    if (method == nullptr) throw_type_error(concat("'", cls_->name(), "' object is not callable"));
    const IValue keep = *method;
    arguments.positional.insert(arguments.positional.begin(), self);
    return python::call(keep, std::move(arguments));
}

std::optional<IValue> NativeMethod::find_attribute(std::string_view name) {
    if (name == "__name__") return IValue(name_);
    return PythonObject::find_attribute(name);
}
std::string NativeMethod::repr() { return concat("<method '", name_, "'>"); }

std::string DecoratedFunction::describe() const {
    const auto* object = object_as<PythonObject>(wrapped);
    return object != nullptr ? object->describe() : "function";
}
std::optional<IValue> DecoratedFunction::find_attribute(std::string_view name) {
    if (name == "__wrapped__") return wrapped;
    if (name == "__class__" || name == "__call__" || name == "__get__") return PythonObject::find_attribute(name);
    return python::find_attribute(wrapped, name);
}

std::string BoundMethod::describe() const {
    const auto* object = object_as<PythonObject>(function);
    return object != nullptr ? object->describe() : "method";
}
std::optional<IValue> BoundMethod::find_attribute(std::string_view name) {
    if (name == "__self__") return self;
    if (name == "__func__") return function;
    if (name == "__class__") return PythonObject::find_attribute(name);
    return python::find_attribute(function, name);
}
bool BoundMethod::is_equal(const IValue& other) const {
    const auto* method = object_as<BoundMethod>(other);
    return method != nullptr && method->self.is_same(self) && method->function.is_same(function);
}
std::size_t BoundMethod::hash() const {
    return std::hash<const void*>{}(self.object_pointer()) * 31 + std::hash<const void*>{}(function.object_pointer());
}
std::string BoundMethod::repr() {
    const auto* code = object_as<FunctionObject>(function);
    if (code == nullptr) return concat("<built-in method ", describe(), " of ", python::type_name(self), " object>");
    return concat("<bound method ", code->code.qualified_name, " of ", python::repr(self), ">");
}
IValue BoundMethod::call(CallArguments arguments) {
    const Ptr<BoundMethod> keep(this);
    arguments.positional.insert(arguments.positional.begin(), self);
    return python::call(function, std::move(arguments));
}

std::optional<IValue> Property::find_attribute(std::string_view name) {
    if (name == "fget") return getter;
    if (name == "fset") return setter;
    if (name == "__doc__") return doc;
    if (name != "setter" && name != "getter" && name != "deleter") return PythonObject::find_attribute(name);
    const Ptr<Property> self(this);
    return IValue::other(
        make_ptr<NativeCallable>(std::string(name), [self, which = std::string(name)](CallArguments a) {
            check_positional(a, which, 1, 1);
            auto copy = make_ptr<Property>();
            copy->getter = which == "getter" ? a.positional[0] : self->getter;
            copy->setter = which == "setter" ? a.positional[0] : self->setter;
            copy->deleter = which == "deleter" ? a.positional[0] : self->deleter;
            copy->doc = self->doc;
            return IValue::other(copy);
        }));
}

std::optional<IValue> MethodWrapper::find_attribute(std::string_view name) {
    if (name == "__func__" || name == "__wrapped__") return function;
    return python::find_attribute(function, name);
}
IValue MethodWrapper::call(CallArguments arguments) {
    if (kind == Kind::Class) throw_type_error("'classmethod' object is not callable");
    return python::call(function, std::move(arguments));
}

}  // namespace loupe::python
