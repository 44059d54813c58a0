// SPDX-License-Identifier: Apache-2.0
#pragma once
// Values that the language does not make itself: tensors, modules, devices, objects of compiled code. The type that is
// registered for their tag says what they do in a program. The types are in core/python/torch and core/python/script;
// core/python/make_evaluator.cpp registers them.

#include <optional>
#include <string>
#include <string_view>

#include "core/python/language/operations.h"

namespace loupe::python {

constexpr bool is_foreign(IValue::Tag tag) {
    return tag == IValue::Tag::Tensor || tag == IValue::Tag::Device || tag == IValue::Tag::Object ||
           tag == IValue::Tag::Enum || tag == IValue::Tag::Future;
}
inline bool is_foreign(const IValue& value) { return is_foreign(value.tag()); }

// All values of one tag. What a type does not override, its values cannot do: then their class is asked as that of any
// object, and Python's error follows where it has no answer either.
class ForeignType {
  public:
    virtual ~ForeignType() = default;
    // type(object).
    virtual ClassPtr class_of(const IValue& object) const = 0;
    // The class whose special methods (__getitem__, __eq__) count for the object; null: it has none of its own.
    virtual ClassObject* dynamic_class(const IValue&) const { return nullptr; }

    // Everything that object.name finds: find_class_attribute unless overridden. nullopt: AttributeError.
    virtual std::optional<IValue> attribute(const IValue& object, std::string_view name) const;
    // False: it cannot be set (deleted).
    virtual bool set_attribute(const IValue&, std::string_view, IValue) const { return false; }
    virtual bool delete_attribute(const IValue&, std::string_view) const { return false; }

    virtual bool is_callable(const IValue&) const { return false; }
    virtual std::optional<IValue> call(const IValue&, CallArguments&) const { return std::nullopt; }
    // object.name(arguments), without making a bound method. nullopt: no such method, then attribute() is asked.
    virtual std::optional<IValue> call_method(const IValue&, std::string_view, CallArguments&) const {
        return std::nullopt;
    }

    // Arithmetic and comparisons (==, != too), not `in` and `is`. Either side may be the object.
    virtual std::optional<IValue> binary(OperatorKind, const IValue&, const IValue&) const { return std::nullopt; }
    virtual std::optional<IValue> in_place(OperatorKind, const IValue&, const IValue&) const { return std::nullopt; }
    virtual std::optional<IValue> unary(OperatorKind, const IValue&) const { return std::nullopt; }  // Negate, Invert

    // key: int, SliceObject, None, Ellipsis, bool, list, a foreign value, or a tuple of these.
    virtual std::optional<IValue> get_item(const IValue&, const IValue&) const { return std::nullopt; }
    virtual bool set_item(const IValue&, const IValue&, const IValue&) const { return false; }
    virtual std::optional<std::int64_t> length(const IValue&) const { return std::nullopt; }
    virtual bool is_iterable(const IValue&) const { return false; }
    virtual Ptr<Iterator> iterate(const IValue&) const { return nullptr; }
    virtual std::optional<bool> contains(const IValue&, const IValue&) const { return std::nullopt; }
    virtual std::optional<bool> truth(const IValue&) const { return std::nullopt; }

    // "tensor([1., 2.])", "device(type='cpu')".
    virtual std::string repr(const IValue& object) const;
    virtual std::string str(const IValue& object) const { return repr(object); }
    virtual std::optional<std::string> format(const IValue&, std::string_view) const { return std::nullopt; }

    // Can it stand where an int or a float is wanted: as an index, in range(), in abs()?
    virtual bool is_number(const IValue&) const { return false; }
    virtual std::optional<IValue> to_int(const IValue&) const { return std::nullopt; }
    virtual std::optional<IValue> to_float(const IValue&) const { return std::nullopt; }
};

// type lives as long as the process. Until a tag has a type its values are objects without attributes.
void register_foreign_type(IValue::Tag tag, const ForeignType& type);
// Of a value for which is_foreign() holds.
const ForeignType& foreign_type(const IValue& value);

// What the type of either side gives; nullopt where neither side is foreign.
std::optional<IValue> foreign_binary(OperatorKind op, const IValue& a, const IValue& b);
inline bool is_foreign_number(const IValue& value) { return is_foreign(value) && foreign_type(value).is_number(value); }

// The attribute that the class of the object has, bound to it; __class__.
std::optional<IValue> find_class_attribute(const IValue& object, std::string_view name);

// Attributes that the program gave a foreign object beside its own (p.tag = 1). They live as long as the program, and
// the object with them.
std::optional<IValue> given_attribute(const IValue& object, std::string_view name);
void set_given_attribute(const IValue& object, std::string_view name, IValue value);

}  // namespace loupe::python
