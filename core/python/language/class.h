// SPDX-License-Identifier: Apache-2.0
#pragma once
// Classes of the evaluator and their instances: what `class` makes, and what int, list, Exception and torch.nn.Linear
// are.

#include <functional>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/python/language/object.h"
#include "core/python/language/tracked.h"

namespace loupe::python {

class ClassObject;
using ClassPtr = Ptr<ClassObject>;

// Attributes by name in the order of their first assignment, as a __dict__.
class AttributeMap {
  public:
    using Entry = std::pair<std::string, IValue>;
    const IValue* find(std::string_view name) const;
    void set(std::string_view name, IValue value);
    bool erase(std::string_view name);
    void clear();
    const std::vector<Entry>& entries() const { return entries_; }

  private:
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
    };
    static constexpr std::size_t kIndexFrom = 9;  // fewer are found by comparing names
    std::vector<Entry> entries_;
    std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>> index_;
};

class ClassObject final : public PythonObject, public Tracked {
  public:
    // Makes the instance (__new__) of `cls`, which is this class or derived from it; __init__ runs afterwards unless
    // the instance is complete.
    struct Made {
        IValue instance;
        bool is_complete = false;  // built-in types read their arguments here
    };
    using New = std::function<Made(ClassObject& cls, CallArguments& arguments)>;

    // Throws TypeError when the bases have no consistent order (C3). module: "__main__", "torch.nn.modules.conv".
    ClassObject(std::string name, std::string module, std::vector<ClassPtr> bases, AttributeMap attributes = {});

    const std::string& name() const { return name_; }
    std::string qualified_name() const;  // "Outer.Inner"
    const std::string& module() const { return module_; }
    const std::vector<ClassPtr>& bases() const { return bases_; }
    const std::vector<ClassObject*>& mro() const { return mro_; }  // itself first, `object` last
    bool is_subclass_of(const ClassObject& other) const;

    // The attribute as it stands in the first class of the mro that has it, not bound to anything; null when none has.
    const IValue* find(std::string_view name) const;
    // The method behind an operator or a built-in function, left out what int, list, object ... have themselves: those
    // are not asked by way of their methods.
    const IValue* find_special(std::string_view name) const;
    // The same among the classes behind `after` in the mro of this one, for super().
    const IValue* find_after(const ClassObject& after, std::string_view name) const;
    AttributeMap& attributes() { return attributes_; }
    const AttributeMap& attributes() const { return attributes_; }

    // A built-in class: its attributes cannot be set by a program.
    void set_builtin(New make_instance) {
        is_builtin_ = true;
        new_ = std::move(make_instance);
    }
    void set_instance_maker(New make_instance) { new_ = std::move(make_instance); }
    bool is_builtin() const { return is_builtin_; }
    // Of the first class in the mro that has one.
    const New& make_instance() const;
    // A class whose instances are made by its class: `type` unless a metaclass was given.
    ClassPtr metaclass() const { return metaclass_; }
    void set_metaclass(ClassPtr metaclass) { metaclass_ = std::move(metaclass); }
    // The class's method with C++ body; its first positional argument is the instance.
    void define(std::string_view name, NativeCallable::Body body);
    void define_property(std::string_view name, std::function<IValue(const IValue& self)> get,
                         std::function<void(const IValue& self, IValue value)> set = nullptr);
    void define_static(std::string_view name, NativeCallable::Body body);
    void define_class_method(std::string_view name, NativeCallable::Body body);  // the class comes first

    std::string type_name() const override { return "type"; }
    std::string describe() const override { return name_; }
    std::optional<IValue> find_attribute(std::string_view name) override;
    void set_attribute(std::string_view name, IValue value) override;
    void delete_attribute(std::string_view name) override;
    IValue get_item(const IValue& key) override;  // list[int], __class_getitem__
    Ptr<Iterator> iterate() override;             // of an enum
    std::optional<std::int64_t> length() override;
    std::string repr() override;
    IValue call(CallArguments arguments) override;

    // What a named tuple's class makes: tuples with this type; null otherwise.
    TypePtr tuple_type;

    // Built-in classes are shared by all programs.
    void clear_references() override {
        if (!is_builtin_) attributes_.clear();
    }
    RefCounted* tracked_object() override { return this; }

  private:
    std::string name_;
    std::string module_;
    std::vector<ClassPtr> bases_;
    std::vector<ClassObject*> mro_;
    AttributeMap attributes_;
    ClassPtr metaclass_;
    New new_;
    bool is_builtin_ = false;
};

// An object of a class that holds nothing but attributes, and of a class derived from int, float, str or bytes (then
// payload is that value).
class Instance : public PythonObject, public Tracked {
  public:
    explicit Instance(ClassPtr cls, IValue value = {}) : payload(std::move(value)), cls_(std::move(cls)) {}
    // A long chain of instances is let go link by link, not by recursion.
    ~Instance() override;

    const ClassPtr& cls() const { return cls_; }
    void set_class(ClassPtr cls) { cls_ = std::move(cls); }
    AttributeMap attributes;
    IValue payload;

    std::string type_name() const override { return cls_->name(); }
    // object.__setattr__: past the class's own __setattr__.
    virtual void set_plain(std::string_view name, IValue value);
    // Holds this object's address as long as it lives.
    const std::shared_ptr<Instance*>& weak_reference();
    std::optional<IValue> find_attribute(std::string_view name) override;
    void set_attribute(std::string_view name, IValue value) override;
    void delete_attribute(std::string_view name) override;
    IValue get_item(const IValue& key) override;
    void set_item(const IValue& key, IValue value) override;
    Ptr<Iterator> iterate() override;
    std::optional<std::int64_t> length() override;
    bool truth() override;
    bool equals(const IValue& other) override;
    std::size_t hash() const override;
    bool is_equal(const IValue& other) const override;
    std::string repr() override;
    IValue call(CallArguments arguments) override;

    void clear_references() override {
        attributes.clear();
        payload = IValue();
    }
    RefCounted* tracked_object() override { return this; }

  private:
    ClassPtr cls_;
    std::shared_ptr<Instance*> weak_;  // null: none was asked for
};

// A list or dict of a class derived from list or dict: the container's element (value) type is one of these. To the
// rest of the engine it means Any.
class ContainerClass final : public Type {
  public:
    explicit ContainerClass(ClassPtr object_class) : Type(TypeKind::Any), cls(std::move(object_class)) {}
    const ClassPtr cls;
    mutable AttributeMap attributes;
};
// Null for a plain container.
const ContainerClass* container_class(const ListObject& list);
const ContainerClass* container_class(const DictObject& dict);

// A method in C++: bound to the instance when it is read from one.
class NativeMethod final : public PythonObject {
  public:
    NativeMethod(std::string name, NativeCallable::Body body) : name_(std::move(name)), body_(std::move(body)) {}
    std::string type_name() const override { return "method_descriptor"; }
    std::string describe() const override { return name_; }
    std::optional<IValue> find_attribute(std::string_view name) override;
    std::string repr() override;
    IValue call(CallArguments arguments) override { return body_(std::move(arguments)); }

  private:
    std::string name_;
    NativeCallable::Body body_;
};

// function and the object that it was read from.
class BoundMethod final : public PythonObject {
  public:
    BoundMethod(IValue method_self, IValue method_function)
        : self(std::move(method_self)), function(std::move(method_function)) {}
    const IValue self;
    const IValue function;
    std::string type_name() const override { return "method"; }
    std::string describe() const override;
    std::optional<IValue> find_attribute(std::string_view name) override;
    bool equals(const IValue& other) override { return is_equal(other); }
    bool is_equal(const IValue& other) const override;
    std::size_t hash() const override;
    std::string repr() override;
    IValue call(CallArguments arguments) override;
};

class Property final : public PythonObject {
  public:
    IValue getter, setter, deleter, doc;
    // In place of the three, for classes in C++.
    std::function<IValue(const IValue& self)> native_getter;
    std::function<void(const IValue& self, IValue value)> native_setter;
    std::string type_name() const override { return "property"; }
    std::optional<IValue> find_attribute(std::string_view name) override;  // setter, getter, deleter
};

// What staticmethod() and classmethod() give.
class MethodWrapper final : public PythonObject {
  public:
    enum class Kind { Static, Class };
    MethodWrapper(Kind wrapper_kind, IValue wrapped) : kind(wrapper_kind), function(std::move(wrapped)) {}
    const Kind kind;
    const IValue function;
    std::string type_name() const override { return kind == Kind::Static ? "staticmethod" : "classmethod"; }
    std::optional<IValue> find_attribute(std::string_view name) override;
    IValue call(CallArguments arguments) override;
};

// An attribute found in a class, as it looks from `instance` (None: from the class itself): functions become bound
// methods, properties are read, class methods are bound to `cls`.
IValue bind_attribute(const IValue& attribute, const IValue* instance, const ClassPtr& cls);

// The object in the IValue as T, without counting; null when it is another class.
template <typename T>
T* object_as(const IValue& value) {
    return value.is_other() ? dynamic_cast<T*>(value.object_pointer()) : nullptr;
}

}  // namespace loupe::python
