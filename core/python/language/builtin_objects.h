// SPDX-License-Identifier: Apache-2.0
#pragma once
// Objects of Python that are no IValue of their own kind, the classes of all built-in ones, and helpers of those who
// implement them.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/python/language/class.h"
#include "core/python/language/error.h"
#include "core/python/language/operations.h"

namespace loupe::python {

class RangeObject final : public PythonObject {
  public:
    RangeObject(std::int64_t first, std::int64_t end, std::int64_t by);  // ValueError when by is 0
    const std::int64_t start, stop, step;
    const std::int64_t count;
    std::int64_t at(std::int64_t index) const { return start + index * step; }
    std::string type_name() const override { return "range"; }
    std::optional<IValue> find_attribute(std::string_view name) override;
    IValue get_item(const IValue& key) override;
    Ptr<Iterator> iterate() override;
    std::optional<std::int64_t> length() override { return count; }
    bool truth() override { return count > 0; }
    bool is_equal(const IValue& other) const override;
    std::size_t hash() const override { return static_cast<std::size_t>(count * 31 + start); }
    std::string repr() override;
};

// set and frozenset. Iteration is in Python's order for small ints, in that of insertion otherwise.
class SetObject final : public PythonObject {
  public:
    explicit SetObject(bool frozen = false) : is_frozen(frozen) {}
    const bool is_frozen;
    bool add(const IValue& value);  // TypeError when it is not hashable
    bool has(const IValue& value) const;
    bool discard(const IValue& value);
    void clear() { items_->clear(); }
    std::size_t size() const { return items_->size(); }
    std::vector<IValue> values() const;
    bool is_subset_of(const SetObject& other) const;
    std::string type_name() const override { return is_frozen ? "frozenset" : "set"; }
    Ptr<Iterator> iterate() override;
    std::optional<std::int64_t> length() override { return static_cast<std::int64_t>(size()); }
    bool truth() override { return size() > 0; }
    bool is_equal(const IValue& other) const override;
    std::size_t hash() const override;
    std::string repr() override;

  private:
    Ptr<DictObject> items_ = make_dict();
};
// A new set of the values of any iterable.
Ptr<SetObject> make_set(const IValue& iterable, bool frozen = false);
// & | - ^ of sets, <= and so on; nullopt when one is none.
std::optional<IValue> set_binary(OperatorKind op, const IValue& a, const IValue& b);

// bytes, and what bytearray derives from: who reads bytes reads both.
class BytesObject : public PythonObject {
  public:
    explicit BytesObject(std::string bytes) : data(std::move(bytes)) {}
    std::string data;
    std::string type_name() const override { return "bytes"; }
    // A new one of the same class.
    virtual IValue with(std::string bytes) const;
    IValue get_item(const IValue& key) override;
    Ptr<Iterator> iterate() override;
    std::optional<std::int64_t> length() override { return static_cast<std::int64_t>(data.size()); }
    bool truth() override { return !data.empty(); }
    bool is_equal(const IValue& other) const override;
    std::size_t hash() const override { return std::hash<std::string>{}(data); }
    std::string repr() override;
};
IValue make_bytes(std::string data);

class ByteArray final : public BytesObject {
  public:
    using BytesObject::BytesObject;
    std::string type_name() const override { return "bytearray"; }
    IValue with(std::string bytes) const override;
    void set_item(const IValue& key, IValue value) override;
    void delete_item(const IValue& key);
    std::string repr() override;
};
// What bytes(source) holds: of a count, bytes, text or an iterable of ints below 256.
std::string bytes_from(const IValue& source);

class DictView final : public PythonObject {
  public:
    enum class Kind { Keys, Values, Items };
    DictView(Ptr<DictObject> viewed, Kind of) : dict(std::move(viewed)), kind(of) {}
    const Ptr<DictObject> dict;
    const Kind kind;
    std::string type_name() const override;
    Ptr<Iterator> iterate() override;
    std::optional<std::int64_t> length() override { return static_cast<std::int64_t>(dict->size()); }
    bool truth() override { return dict->size() > 0; }
    bool is_equal(const IValue& other) const override;
    std::string repr() override;
    IValue at(std::size_t index) const;
};
// Iterates over a dict that must not change its size meanwhile.
Ptr<Iterator> iterate_dict(Ptr<DictObject> dict, DictView::Kind kind, bool is_reversed = false);

// List[int], Optional[Tensor], int | None, and the names of typing without brackets.
class TypingObject final : public PythonObject {
  public:
    std::string name;  // "typing.List", "list"
    ClassPtr origin;   // what isinstance() looks at; null: any value
    std::vector<IValue> arguments;
    bool is_union = false;
    bool is_written_with_bars = false;  // int | None
    std::string type_name() const override { return is_union ? "UnionType" : "GenericAlias"; }
    std::optional<IValue> find_attribute(std::string_view name) override;
    void set_attribute(std::string_view name, IValue value) override;  // __doc__ of an alias, which nothing reads
    IValue get_item(const IValue& key) override;
    bool is_equal(const IValue& other) const override;
    std::size_t hash() const override { return std::hash<std::string>{}(name); }
    std::string repr() override;
    IValue call(CallArguments arguments) override;
};

// An iterator from a function that gives the next value.
class FunctionIterator final : public Iterator {
  public:
    using Next = std::function<std::optional<IValue>()>;
    FunctionIterator(std::string type, Next next) : type_(std::move(type)), next_(std::move(next)) {}
    std::string type_name() const override { return type_; }
    // A StopIteration that a function of the program raises on the way ends it, as it ends map() in CPython.
    std::optional<IValue> next() override;

  private:
    std::string type_;
    Next next_;
};
inline Ptr<Iterator> make_iterator(std::string type, FunctionIterator::Next next) {
    return make_ptr<FunctionIterator>(std::move(type), std::move(next));
}

struct BuiltinClasses {
    ClassPtr object, type, none, boolean, integer, floating, complex, string, bytes, byte_array, list, tuple, dict, set,
        frozenset, range, slice, function, builtin_function, method, module, property, static_method, class_method,
        generator, super, ellipsis, not_implemented, generic_alias, union_type, base_exception;
};
const BuiltinClasses& builtin_classes();
// The class of objects in C++ that have no class of their own, by their type name.
ClassPtr named_class(std::string_view type_name);
// Everything that every source sees: functions, classes, constants.
std::vector<std::pair<std::string, IValue>> builtin_entries();
// A function that every source sees: len, print.
const IValue* builtin_function(std::string_view name);
// Each fills the methods of one class.
void define_string_methods(ClassObject& cls);
void define_bytes_methods(ClassObject& cls);
void define_byte_array_methods(ClassObject& cls);
void define_list_methods(ClassObject& cls);
void define_tuple_methods(ClassObject& cls);
void define_dict_methods(ClassObject& cls);
void define_set_methods(ClassObject& cls);
void define_number_methods(BuiltinClasses& classes);
void define_object_methods(BuiltinClasses& classes);

// The class that a program can have changed the behaviour of a value by: null for plain built-in values.
ClassObject* dynamic_class(const IValue& value);
// cls's method called with self in front; nullopt when the class has none (or has set it to None).
std::optional<IValue> call_special(const ClassObject& cls, std::string_view name, const IValue& self,
                                   std::vector<IValue> arguments = {});

// What a `class` statement makes. names: what its body bound. class_cell: is given the class before its methods can
// run.
struct ClassParts {
    std::string name;
    std::string qualified_name;
    std::string module;
    std::vector<IValue> bases;
    std::vector<std::pair<std::string, IValue>> keywords;
    AttributeMap names;
};
IValue build_class(ClassParts parts, const std::function<void(const IValue& cls)>& made = nullptr);
// type(name, bases, names): without asking a metaclass.
ClassPtr make_class(ClassParts parts, ClassPtr metaclass);
// A named tuple's class; defaults: of the last fields.
ClassPtr make_named_tuple_class(const std::string& name, const std::string& module,
                                const std::vector<std::string>& fields, std::vector<IValue> defaults,
                                const AttributeMap& names = {});
const ClassPtr& named_tuple_base();             // typing.NamedTuple
const ClassPtr& generic_base();                 // typing.Generic
ClassPtr typing_base(std::string name);         // a class that is a base for annotations' sake only: Generic, Protocol
IValue typing_variable(std::string_view name);  // typing.TypeVar(name)
// __new__ and __init__.
IValue instantiate(ClassObject& cls, CallArguments arguments);

// A comparison by the methods of its operator.
IValue compare(OperatorKind op, const IValue& a, const IValue& b, std::string_view method, std::string_view reflected,
               std::string_view symbol);
bool is_iterable(const IValue& value);
bool is_callable(const IValue& value);
void check_hashable(const IValue& value);
// What an iterable gives goes in one by one: the program that gives it sees the container grow, and what it gave before
// it raised stays.
void extend_list(const IValue& list, const IValue& iterable);
void update_set(SetObject& set, const IValue& iterable);
void update_dict(DictObject& dict, const IValue& other);  // from a mapping or pairs
// object.__setattr__ of a value that is no Instance.
void set_plain_attribute(const IValue& object, std::string_view name, IValue value);
// object.__repr__: past the class's own.
std::string default_repr(const IValue& value);
std::string ascii_repr(const IValue& value);
std::string address_text(const void* object);  // "0x7f..."
bool is_exception_match(const IValue& exception, const IValue& type);
Ptr<ExceptionObject> exception_from(const IValue& value);  // an instance, or a class that is called
// Characters of UTF-8 text.
std::int64_t text_length(std::string_view text);
std::vector<std::string_view> characters(std::string_view text);
// A repetition that would not fit in memory is a MemoryError.
void check_size(std::int64_t count, std::int64_t element_size);

}  // namespace loupe::python
