// SPDX-License-Identifier: Apache-2.0
// object[key], its assignment and deletion, slices, len, iteration.
#include <algorithm>

#include "core/base/cancel.h"
#include "core/base/strings.h"
#include "core/python/language/big_integer.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/evaluator_state.h"
#include "core/python/language/foreign_type.h"
#include "core/python/language/key_lookup.h"
#include "core/python/language/list_items.h"

namespace loupe::python {
namespace {

// sequence: its size counts after the key's __index__, which may change it.
template <typename Sequence>
std::size_t checked_index(const IValue& key, const Sequence& sequence, std::string_view type,
                          std::string_view work = "") {
    if (is_big_integer(key)) throw_error("IndexError", "cannot fit 'int' into an index-sized integer");
    if (!key.is_int() && !key.is_bool() && !is_foreign_number(key) && dynamic_class(key) == nullptr) {
        if (type == "str") throw_type_error(concat("string indices must be integers, not '", type_name(key), "'"));
        throw_type_error(concat(type, " indices must be integers or slices, not ", type_name(key)));
    }
    std::int64_t index = to_index(key);
    const auto size = static_cast<std::int64_t>(sequence.size());
    if (index < 0) index += size;
    if (index < 0 || index >= size) {
        throw_error("IndexError", concat(!work.empty()   ? work
                                         : type == "str" ? "string"
                                                         : type,
                                         " index out of range"));
    }
    return static_cast<std::size_t>(index);
}

// A slice whose parts run no code of the program.
Ptr<const SliceObject> with_plain_parts(const SliceObject& slice) {
    const auto part = [](const IValue& value) {
        const bool is_plain = is_integer(plain(value)) || is_foreign_number(value) || dynamic_class(value) == nullptr;
        return is_plain ? value : IValue(to_index(value));
    };
    const Ptr<const SliceObject> given(&slice);
    const auto is_instance = [](const IValue& value) { return value.is_other() && dynamic_class(value) != nullptr; };
    if (!is_instance(slice.step) && !is_instance(slice.start) && !is_instance(slice.stop)) return given;
    IValue step = part(slice.step);
    if (step.is_int() && step.to_int() == 0) throw_value_error("slice step cannot be zero");
    IValue start = part(slice.start);
    IValue stop = part(slice.stop);
    return make_ptr<SliceObject>(std::move(start), std::move(stop), std::move(step));
}

template <typename Values>
Values sliced(const Values& values, const SliceObject& slice) {
    const auto parts = with_plain_parts(slice);
    const auto bounds = parts->bounds(static_cast<std::int64_t>(values.size()));
    Values out;
    out.reserve(static_cast<std::size_t>(bounds.count));
    for (std::int64_t i = 0; i < bounds.count; ++i) {
        out.push_back(values[static_cast<std::size_t>(bounds.start + i * bounds.step)]);
    }
    return out;
}

bool is_ascii(std::string_view text) {
    return std::none_of(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0x80U) != 0; });
}

IValue string_item(const std::string& text, const IValue& key) {
    const auto* slice = object_as<SliceObject>(key);
    if (is_ascii(text)) {
        if (slice != nullptr) return IValue(sliced(text, *slice));
        return IValue(std::string(1, text[checked_index(key, text, "str")]));
    }
    const auto parts = characters(text);
    if (slice != nullptr) return IValue(join(sliced(parts, *slice), ""));
    return IValue(parts[checked_index(key, parts, "str")]);
}

IValue list_item(const std::vector<IValue>& values, const IValue& key, bool is_list) {
    if (const auto* slice = object_as<SliceObject>(key)) {
        auto part = sliced(values, *slice);
        return is_list ? make_list(std::move(part)) : make_tuple(std::move(part));
    }
    return values[checked_index(key, values, is_list ? "list" : "tuple")];
}

void assign_slice(std::vector<IValue>& values, const SliceObject& slice, const IValue& value) {
    const auto parts = with_plain_parts(slice);
    // The place is that of the list as it is before the values are made, which may change it.
    auto bounds = parts->bounds(static_cast<std::int64_t>(values.size()));
    if (!is_iterable(value))
        throw_type_error(bounds.step == 1 ? "can only assign an iterable" : "must assign iterable to extended slice");
    std::vector<IValue> given = to_vector(value);
    const auto size = static_cast<std::int64_t>(values.size());
    if (bounds.step == 1) {
        const std::int64_t start = std::min(bounds.start, size);
        const auto begin = values.begin() + static_cast<std::ptrdiff_t>(start);
        const auto end = begin + static_cast<std::ptrdiff_t>(std::min(bounds.count, size - start));
        const std::vector<IValue> gone(begin, end);  // go when the list is whole
        const auto after = values.erase(begin, end);
        values.insert(after, given.begin(), given.end());
        return;
    }
    bounds = parts->bounds(size);
    if (static_cast<std::int64_t>(given.size()) != bounds.count) {
        throw_value_error(
            concat("attempt to assign sequence of size ", given.size(), " to extended slice of size ", bounds.count));
    }
    for (std::int64_t i = 0; i < bounds.count; ++i) {
        std::swap(values[static_cast<std::size_t>(bounds.start + i * bounds.step)], given[static_cast<std::size_t>(i)]);
    }
}

void delete_slice(std::vector<IValue>& values, const SliceObject& slice) {
    const auto parts = with_plain_parts(slice);
    const auto bounds = parts->bounds(static_cast<std::int64_t>(values.size()));
    std::vector<bool> goes(values.size());
    for (std::int64_t i = 0; i < bounds.count; ++i)
        goes[static_cast<std::size_t>(bounds.start + i * bounds.step)] = true;
    std::vector<IValue> left;
    left.reserve(values.size() - static_cast<std::size_t>(bounds.count));
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!goes[i]) left.push_back(values[i]);
    }
    values.swap(left);  // what goes, goes when the list is whole
}

class ListIterator final : public Iterator {
  public:
    ListIterator(IValue sequence, std::string type) : sequence_(std::move(sequence)), type_(std::move(type)) {}
    std::string type_name() const override { return type_; }
    std::optional<IValue> next() override {
        const auto& values = sequence_.is_list() ? sequence_.to_list().elements : sequence_.to_tuple().elements;
        if (at_ >= values.size()) {
            at_ = ~std::size_t{0};
            return std::nullopt;
        }
        return values[at_++];
    }

  private:
    IValue sequence_;
    std::string type_;
    std::size_t at_ = 0;
};

// An object with __next__.
class InstanceIterator final : public Iterator {
  public:
    InstanceIterator(IValue object, ClassPtr cls) : object_(std::move(object)), cls_(std::move(cls)) {}
    std::optional<IValue> next() override {
        try {
            return call_special(*cls_, "__next__", object_);
        } catch (const PythonError& error) {
            if (!error.is("StopIteration")) throw;
            return std::nullopt;
        }
    }

  private:
    IValue object_;
    ClassPtr cls_;
};

// An object with __getitem__ alone: 0, 1, ... until IndexError.
Ptr<Iterator> iterate_by_index(const IValue& object, const ClassPtr& cls) {
    return make_iterator("iterator", [object, cls, at = std::int64_t{0}]() mutable -> std::optional<IValue> {
        try {
            return call_special(*cls, "__getitem__", object, {IValue(at++)});
        } catch (const PythonError& error) {
            if (!error.is("IndexError") && !error.is("StopIteration")) throw;
            return std::nullopt;
        }
    });
}

Ptr<Iterator> iterate_instance(const IValue& object, const ClassPtr& cls) {
    if (auto made = call_special(*cls, "__iter__", object)) {
        if (auto* iterator = object_as<Iterator>(*made)) return Ptr<Iterator>(iterator);
        const ClassObject* made_class = dynamic_class(*made);
        if (made_class != nullptr && made_class->find("__next__") != nullptr) {
            return make_ptr<InstanceIterator>(*made, class_of(*made));
        }
        throw_type_error(concat("iter() returned non-iterator of type '", type_name(*made), "'"));
    }
    if (cls->find_special("__getitem__") != nullptr) return iterate_by_index(object, cls);
    return nullptr;
}

}  // namespace

IValue get_item(const IValue& object, const IValue& key) {
    if (is_foreign(object)) {
        if (auto found = foreign_type(object).get_item(object, key)) return std::move(*found);
    }
    if (const ClassObject* cls = dynamic_class(object); cls != nullptr && object_as<ClassObject>(object) == nullptr) {
        if (auto result = call_special(*cls, "__getitem__", object, {key})) return std::move(*result);
    }
    const IValue& held = plain(object);
    const bool runs_program = key.is_other() || key.is_tuple();  // whose __index__ and __eq__ may let the object go
    const IValue kept = runs_program ? held : IValue();
    const IValue& value = runs_program ? kept : held;
    switch (value.tag()) {
        case IValue::Tag::List:
            return list_item(value.to_list().elements, key, true);
        case IValue::Tag::Tuple:
            return list_item(value.to_tuple().elements, key, false);
        case IValue::Tag::String:
            return string_item(value.to_string(), key);
        case IValue::Tag::Dict: {
            check_hashable(key);
            if (const IValue* found = find_key(value.to_dict(), key)) return *found;
            if (const ClassObject* cls = dynamic_class(object)) {
                if (auto made = call_special(*cls, "__missing__", object, {key})) return std::move(*made);
            }
            throw_key_error(key);
        }
        case IValue::Tag::Other:
            if (auto* python_object = object_as<PythonObject>(value); python_object && !object_as<Instance>(value)) {
                return python_object->get_item(key);
            }
            break;
        default:
            break;
    }
    throw_type_error(concat("'", type_name(object), "' object is not subscriptable"));
}

void set_list_item(const IValue& list, const IValue& key, IValue value) {
    const IValue kept = list;
    auto& elements = kept.to_list().elements;
    if (const auto* slice = object_as<SliceObject>(key)) return assign_slice(elements, *slice, value);
    const bool is_index = key.is_int() || key.is_bool() || is_foreign_number(key);
    if (is_index) {
        std::int64_t index = to_index(key);
        if (index < 0) index += static_cast<std::int64_t>(elements.size());
        if (index < 0 || index >= static_cast<std::int64_t>(elements.size())) {
            throw_error("IndexError", "list assignment index out of range");
        }
        std::swap(elements[static_cast<std::size_t>(index)], value);  // the old one goes when the list is whole
        return;
    }
    const std::size_t index = checked_index(key, elements, "list", "list assignment");
    std::swap(elements[index], value);
}

void delete_list_item(const IValue& list, const IValue& key) {
    const IValue kept = list;
    auto& elements = kept.to_list().elements;
    if (const auto* slice = object_as<SliceObject>(key)) return delete_slice(elements, *slice);
    const std::size_t index = checked_index(key, elements, "list", "list assignment");
    const IValue gone = elements[index];
    elements.erase(elements.begin() + static_cast<std::ptrdiff_t>(index));
}

void set_item(const IValue& object, const IValue& key, IValue value) {
    if (is_foreign(object) && foreign_type(object).set_item(object, key, value)) return;
    if (const ClassObject* cls = dynamic_class(object); cls != nullptr && object_as<ClassObject>(object) == nullptr) {
        if (call_special(*cls, "__setitem__", object, {key, value})) return;
    }
    if (object.is_list()) return set_list_item(object, key, std::move(value));
    if (object.is_dict()) {
        check_hashable(key);
        set_key(object.to_dict(), key, std::move(value));
        return;
    }
    if (auto* python_object = object_as<PythonObject>(object); python_object && !object_as<Instance>(object)) {
        return python_object->set_item(key, std::move(value));
    }
    throw_type_error(concat("'", type_name(object), "' object does not support item assignment"));
}

void delete_item(const IValue& object, const IValue& key) {
    if (const ClassObject* cls = dynamic_class(object)) {
        if (call_special(*cls, "__delitem__", object, {key})) return;
    }
    if (object.is_list()) return delete_list_item(object, key);
    if (object.is_dict()) {
        check_hashable(key);
        if (!take_key(object.to_dict(), key)) throw_key_error(key);
        return;
    }
    if (object_as<Instance>(object) == nullptr && find_attribute(object, "__delitem__")) {
        call_method(object, "__delitem__", {{key}, {}});
        return;
    }
    throw_type_error(concat("'", type_name(object), "' object doesn't support item deletion"));
}

std::optional<std::int64_t> find_length(const IValue& object) {
    if (is_foreign(object)) {
        if (const auto size = foreign_type(object).length(object)) return size;
    }
    if (const ClassObject* cls = dynamic_class(object); cls != nullptr && object_as<ClassObject>(object) == nullptr) {
        if (auto result = call_special(*cls, "__len__", object)) {
            const std::int64_t size = to_index(*result);
            if (size < 0) throw_value_error("__len__() should return >= 0");
            return size;
        }
    }
    const IValue& value = plain(object);
    switch (value.tag()) {
        case IValue::Tag::List:
            return static_cast<std::int64_t>(value.to_list().elements.size());
        case IValue::Tag::Tuple:
            return static_cast<std::int64_t>(value.to_tuple().elements.size());
        case IValue::Tag::Dict:
            return static_cast<std::int64_t>(value.to_dict().size());
        case IValue::Tag::String:
            return text_length(value.to_string());
        case IValue::Tag::Other:
            if (auto* python_object = object_as<PythonObject>(value); python_object && !object_as<Instance>(value)) {
                return python_object->length();
            }
            return std::nullopt;
        default:
            return std::nullopt;
    }
}

std::int64_t length(const IValue& value) {
    if (const auto size = find_length(value)) return *size;
    throw_type_error(concat("object of type '", type_name(value), "' has no len()"));
}

bool is_iterable(const IValue& value) {
    if (value.is_list() || value.is_tuple() || value.is_dict() || value.is_string()) return true;
    if (is_foreign(value) && foreign_type(value).is_iterable(value)) return true;
    if (const ClassObject* cls = dynamic_class(value)) {
        if (object_as<ClassObject>(value) == nullptr && cls->find_special("__getitem__") != nullptr) return true;
        return cls->find_special("__iter__") != nullptr || plain(value).is_string();
    }
    if (object_as<Iterator>(value) != nullptr) return true;
    auto* object = object_as<PythonObject>(value);
    if (object == nullptr) return false;
    try {
        return object->iterate() != nullptr;
    } catch (const PythonError&) {
        return false;
    }
}

Ptr<Iterator> iterate(const IValue& object) {
    if (is_foreign(object)) {
        if (auto iterator = foreign_type(object).iterate(object)) return iterator;
    }
    if (ClassObject* cls = dynamic_class(object); cls != nullptr && object_as<ClassObject>(object) == nullptr) {
        if (auto iterator = iterate_instance(object, ClassPtr(cls))) return iterator;
    }
    const IValue& value = plain(object);
    switch (value.tag()) {
        case IValue::Tag::List:
            return make_ptr<ListIterator>(value, "list_iterator");
        case IValue::Tag::Tuple:
            return make_ptr<ListIterator>(value, "tuple_iterator");
        case IValue::Tag::Dict:
            return iterate_dict(Ptr<DictObject>(&value.to_dict()), DictView::Kind::Keys);
        case IValue::Tag::String:
            return make_iterator(
                "str_iterator",
                [value, parts = characters(value.to_string()), at = std::size_t{0}]() mutable -> std::optional<IValue> {
                    if (at >= parts.size()) return std::nullopt;
                    return IValue(parts[at++]);
                });
        case IValue::Tag::Other:
            if (auto* python_object = object_as<PythonObject>(value); python_object && !object_as<Instance>(value)) {
                return python_object->iterate();
            }
            break;
        default:
            break;
    }
    throw_type_error(concat("'", type_name(object), "' object is not iterable"));
}

void for_each(const IValue& iterable, const std::function<bool(const IValue&)>& visit) {
    const bool is_plain_list = iterable.is_list() && dynamic_class(iterable) == nullptr;
    if (is_plain_list) {  // which may grow or shrink meanwhile
        const IValue keep = iterable;
        for (std::size_t i = 0; i < keep.to_list().elements.size(); ++i) {
            const IValue value = keep.to_list().elements[i];
            if (!visit(value)) return;
        }
        return;
    }
    const Ptr<Iterator> iterator = iterate(iterable);
    while (const auto value = iterator->next()) {
        check_cancelled();
        if (!visit(*value)) return;
    }
}

std::vector<IValue> to_vector(const IValue& iterable) {
    std::vector<IValue> out;
    if (const auto* range = object_as<RangeObject>(iterable)) {
        check_size(range->count, sizeof(IValue));
        out.reserve(static_cast<std::size_t>(range->count));
    }
    for_each(iterable, [&](const IValue& value) {
        out.push_back(value);
        if ((out.size() & 0xFFFFFU) == 0) check_size(static_cast<std::int64_t>(out.size()), sizeof(IValue));
        return true;
    });
    return out;
}

Ptr<Iterator> Instance::iterate() { return python::iterate(IValue::other(Ptr<RefCounted>(this))); }
IValue Instance::get_item(const IValue& key) { return python::get_item(IValue::other(Ptr<RefCounted>(this)), key); }
void Instance::set_item(const IValue& key, IValue value) {
    python::set_item(IValue::other(Ptr<RefCounted>(this)), key, std::move(value));
}
std::optional<std::int64_t> Instance::length() { return find_length(IValue::other(Ptr<RefCounted>(this))); }

IValue make_list(std::vector<IValue> elements) { return make_ptr<ListObject>(types::any(), std::move(elements)); }
IValue make_tuple(std::vector<IValue> elements) { return make_ptr<TupleObject>(std::move(elements)); }
Ptr<DictObject> make_dict() { return make_ptr<DictObject>(types::any(), types::any()); }

void check_size(std::int64_t count, std::int64_t element_size) {
    constexpr std::int64_t kMost = std::int64_t{1} << 32;  // bytes
    std::int64_t bytes = 0;
    const bool overflows = __builtin_mul_overflow(count, std::max<std::int64_t>(element_size, 1), &bytes);
    if (overflows || bytes > kMost)
        throw_error("MemoryError", concat("a sequence of ", count, " elements is too large"));
}

std::int64_t to_index(const IValue& value) {
    const IValue& held = plain(value);
    if (held.is_int() || held.is_bool()) return held.to_int();
    if (is_foreign(held)) {
        if (const auto number = foreign_type(held).to_int(held))
            return is_big_integer(*number) ? to_index(*number) : number->to_int();
    }
    if (is_big_integer(held)) throw_error("OverflowError", "cannot fit 'int' into an index-sized integer");
    if (const ClassObject* cls = dynamic_class(held)) {
        if (auto index = call_special(*cls, "__index__", held)) return to_index(*index);
    }
    throw_type_error(concat("'", type_name(value), "' object cannot be interpreted as an integer"));
}

double to_float(const IValue& value) {
    const IValue& held = plain(value);
    if (held.is_int() || held.is_bool() || held.is_double()) return held.to_double();
    if (is_big_integer(held)) return integer_to_double(held);
    if (is_foreign(held)) {
        if (const auto number = foreign_type(held).to_float(held)) return number->to_double();
    }
    if (const ClassObject* cls = dynamic_class(held)) {
        if (auto real = call_special(*cls, "__float__", held)) return to_float(*real);
        if (auto index = call_special(*cls, "__index__", held)) return to_float(*index);
    }
    throw_type_error(concat("must be real number, not ", type_name(value)));
}

SliceObject::Bounds SliceObject::bounds(std::int64_t size) const {
    const auto read = [](const IValue& value, std::int64_t otherwise) {
        if (value.is_none()) return otherwise;
        if (!is_integer(plain(value)) && !is_foreign_number(value) && dynamic_class(value) == nullptr) {
            throw_type_error("slice indices must be integers or None or have an __index__ method");
        }
        if (is_big_integer(plain(value))) return is_negative_integer(plain(value)) ? INT64_MIN / 4 : INT64_MAX / 4;
        return to_index(value);
    };
    Bounds out{};
    out.step = read(step, 1);
    if (out.step == 0) throw_value_error("slice step cannot be zero");
    out.step = std::clamp<std::int64_t>(out.step, -(std::int64_t{1} << 62), std::int64_t{1} << 62);
    const bool is_forward = out.step > 0;
    const std::int64_t least = is_forward ? 0 : -1;
    const std::int64_t most = is_forward ? size : size - 1;
    const auto clamped = [&](const IValue& value, std::int64_t otherwise) {
        if (value.is_none()) return otherwise;
        std::int64_t at = read(value, 0);
        if (at < 0) at = at < -size ? least : at + size;
        return std::clamp(at, least, std::max(least, most));
    };
    out.start = clamped(start, is_forward ? least : most);
    out.stop = clamped(stop, is_forward ? most : least);
    const std::int64_t distance = is_forward ? out.stop - out.start : out.start - out.stop;
    const std::int64_t stride = is_forward ? out.step : -out.step;
    out.count = distance > 0 ? (distance - 1) / stride + 1 : 0;
    return out;
}

std::optional<IValue> SliceObject::find_attribute(std::string_view name) {
    if (name == "start") return start;
    if (name == "stop") return stop;
    if (name == "step") return step;
    if (name == "indices") {
        return IValue::other(make_ptr<NativeCallable>("indices", [self = Ptr<SliceObject>(this)](CallArguments a) {
            if (a.positional.size() != 1 || !a.keywords.empty())
                throw_type_error(
                    concat("slice.indices() takes exactly one argument (", a.positional.size(), " given)"));
            const std::int64_t length = to_index(a.positional[0]);
            if (length < 0) throw_value_error("length should not be negative");
            const Bounds found = self->bounds(length);
            return make_tuple({IValue(found.start), IValue(found.stop), IValue(found.step)});
        }));
    }
    return PythonObject::find_attribute(name);
}
bool SliceObject::equals(const IValue& other) {
    const auto* slice = object_as<SliceObject>(other);
    return slice != nullptr && python::equals(start, slice->start) && python::equals(stop, slice->stop) &&
           python::equals(step, slice->step);
}
std::string SliceObject::repr() {
    return concat("slice(", python::repr(start), ", ", python::repr(stop), ", ", python::repr(step), ")");
}

}  // namespace loupe::python
