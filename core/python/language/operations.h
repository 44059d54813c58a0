// SPDX-License-Identifier: Apache-2.0
#pragma once
// What Python's operators, attributes, calls and conversions do to any value. All throw PythonError where Python
// raises, with its messages.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/python/language/class.h"
#include "core/script/ast.h"

namespace loupe::python {

using script::OperatorKind;

// type(value).
ClassPtr class_of(const IValue& value);
// "int", "list", "Tensor", "Linear".
std::string type_name(const IValue& value);
// isinstance(value, type): a class, a tuple of them, a union, or what typing offers for it.
bool is_instance(const IValue& value, const IValue& type);

std::optional<IValue> find_attribute(const IValue& object, std::string_view name);
IValue get_attribute(const IValue& object, std::string_view name);
void set_attribute(const IValue& object, std::string_view name, IValue value);
void delete_attribute(const IValue& object, std::string_view name);

IValue call(const IValue& callee, CallArguments arguments);
IValue call(const IValue& callee, std::vector<IValue> positional);
// object.name(arguments) without making a bound method.
IValue call_method(const IValue& object, std::string_view name, CallArguments arguments);

// Add ... BitXor, Lt ... In.
IValue binary(OperatorKind op, const IValue& a, const IValue& b);
IValue in_place(OperatorKind op, const IValue& a, const IValue& b);
IValue unary(OperatorKind op, const IValue& a);
bool equals(const IValue& a, const IValue& b);
bool less(const IValue& a, const IValue& b);
bool contains(const IValue& container, const IValue& item);
bool truth(const IValue& value);
std::size_t hash(const IValue& value);

IValue get_item(const IValue& object, const IValue& key);
void set_item(const IValue& object, const IValue& key, IValue value);
void delete_item(const IValue& object, const IValue& key);
std::int64_t length(const IValue& value);
std::optional<std::int64_t> find_length(const IValue& value);  // nullopt where len() is a TypeError

Ptr<Iterator> iterate(const IValue& value);
// Calls visit with each element until it returns false.
void for_each(const IValue& iterable, const std::function<bool(const IValue&)>& visit);
std::vector<IValue> to_vector(const IValue& iterable);

std::string repr(const IValue& value);
std::string str(const IValue& value);
std::string format(const IValue& value, std::string_view spec);

// Values that Python would convert silently: what an index, a size or a repetition is given. `what`: for the message.
std::int64_t to_index(const IValue& value);
double to_float(const IValue& value);

// A list (element type Any), a tuple, a dict of Python's.
IValue make_list(std::vector<IValue> elements);
IValue make_tuple(std::vector<IValue> elements);
Ptr<DictObject> make_dict();
// The value in an instance of a class that derives from int, float, str or bytes; other values as they are.
const IValue& plain(const IValue& value);

// slice(start, stop, step), each maybe None.
class SliceObject final : public PythonObject {
  public:
    SliceObject(IValue from, IValue to, IValue by) : start(std::move(from)), stop(std::move(to)), step(std::move(by)) {}
    const IValue start, stop, step;
    std::string type_name() const override { return "slice"; }
    std::optional<IValue> find_attribute(std::string_view name) override;
    bool equals(const IValue& other) override;
    std::string repr() override;
    // Python's slice.indices(length): first, end, step, and how many.
    struct Bounds {
        std::int64_t start, stop, step, count;
    };
    Bounds bounds(std::int64_t length) const;
};

// `...` and NotImplemented.
const IValue& ellipsis();
const IValue& not_implemented();
inline bool is_same_object(const IValue& value, const IValue& singleton) {
    return value.is_other() && value.object_pointer() == singleton.object_pointer();
}

}  // namespace loupe::python
