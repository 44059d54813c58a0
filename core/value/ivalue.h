// SPDX-License-Identifier: Apache-2.0
#pragma once
// IValue: any value that TorchScript handles, in 16 bytes. Containers are shared by reference, as in Python.

#include <complex>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/ref_counted.h"
#include "core/tensor/tensor.h"
#include "core/value/type.h"

namespace loupe {

class IValue;
class ListObject;
class TupleObject;
class DictObject;
class Object;
class EnumValue;
class StringObject;
class ComplexObject;
class FutureObject;

class IValue {
  public:
    enum class Tag : std::uint8_t {
        None,
        Bool,
        Int,
        Double,
        Device,
        // The tags below hold counted references.
        Tensor,
        Complex,
        String,
        List,
        Tuple,
        Dict,
        Object,
        Enum,
        Future,
        Other,  // generators, capsules, functions: any RefCounted
    };

    IValue() noexcept : tag_(Tag::None) { payload_.integer = 0; }
    IValue(bool value) noexcept : tag_(Tag::Bool) { payload_.integer = value ? 1 : 0; }
    IValue(int value) noexcept : IValue(static_cast<std::int64_t>(value)) {}
    IValue(std::int64_t value) noexcept : tag_(Tag::Int) { payload_.integer = value; }
    IValue(double value) noexcept : tag_(Tag::Double) { payload_.real = value; }
    IValue(Device device) noexcept : tag_(Tag::Device) { payload_.device = device; }
    IValue(const Tensor& tensor) noexcept : IValue(Tag::Tensor, tensor.impl()) {}
    IValue(Tensor&& tensor) noexcept;
    IValue(std::complex<double> value);
    IValue(const Scalar& value);
    IValue(std::string text);
    // A pointer must not become a bool.
    template <typename T>
    requires(!std::is_same_v<std::remove_cv_t<T>, char>) IValue(T*)
    = delete;
    IValue(const char* text) : IValue(std::string(text)) {}
    IValue(std::string_view text) : IValue(std::string(text)) {}
    IValue(Ptr<ListObject> list) noexcept;
    IValue(Ptr<TupleObject> tuple) noexcept;
    IValue(Ptr<DictObject> dict) noexcept;
    IValue(Ptr<Object> object) noexcept;
    IValue(Ptr<EnumValue> value) noexcept;
    IValue(Ptr<FutureObject> future) noexcept;
    // A list of ints, floats, bools or tensors, with that element type.
    IValue(IntSpan values);
    IValue(const Dims& values) : IValue(span_of(values)) {}
    IValue(const std::vector<std::int64_t>& values) : IValue(IntSpan(values)) {}
    IValue(std::span<const double> values);
    IValue(const TensorList& values);
    template <typename T>
    IValue(const std::optional<T>& value) : IValue() {
        if (value) *this = IValue(*value);
    }
    static IValue other(Ptr<RefCounted> object);

    IValue(const IValue& other) noexcept : payload_(other.payload_), tag_(other.tag_) { retain(); }
    IValue(IValue&& other) noexcept : payload_(other.payload_), tag_(other.tag_) { other.tag_ = Tag::None; }
    IValue& operator=(const IValue& other) noexcept {
        IValue copy(other);
        swap(copy);
        return *this;
    }
    IValue& operator=(IValue&& other) noexcept {
        IValue moved(std::move(other));
        swap(moved);
        return *this;
    }
    ~IValue() { release(); }
    void swap(IValue& other) noexcept {
        std::swap(payload_, other.payload_);
        std::swap(tag_, other.tag_);
    }

    Tag tag() const { return tag_; }
    bool is_none() const { return tag_ == Tag::None; }
    bool is_bool() const { return tag_ == Tag::Bool; }
    bool is_int() const { return tag_ == Tag::Int; }
    bool is_double() const { return tag_ == Tag::Double; }
    bool is_complex() const { return tag_ == Tag::Complex; }
    bool is_number() const { return is_int() || is_double() || is_complex() || is_bool(); }
    bool is_tensor() const { return tag_ == Tag::Tensor; }
    bool is_string() const { return tag_ == Tag::String; }
    bool is_list() const { return tag_ == Tag::List; }
    bool is_tuple() const { return tag_ == Tag::Tuple; }
    bool is_dict() const { return tag_ == Tag::Dict; }
    bool is_object() const { return tag_ == Tag::Object; }
    bool is_device() const { return tag_ == Tag::Device; }
    bool is_enum() const { return tag_ == Tag::Enum; }
    bool is_future() const { return tag_ == Tag::Future; }
    bool is_other() const { return tag_ == Tag::Other; }

    // Each throws Error (Run) "expected int, got Tensor" on another tag. to_double takes an int too; to_int a bool.
    bool to_bool() const;
    std::int64_t to_int() const;
    double to_double() const;
    std::complex<double> to_complex() const;
    Scalar to_scalar() const;
    Device to_device() const;
    const std::string& to_string() const;
    // None gives an undefined tensor.
    Tensor to_tensor() const&;
    Tensor to_tensor() &&;
    ListObject& to_list() const;
    TupleObject& to_tuple() const;
    DictObject& to_dict() const;
    Ptr<Object> to_object() const;
    EnumValue& to_enum() const;
    FutureObject& to_future() const;
    Ptr<RefCounted> to_other() const;
    template <typename T>
    Ptr<T> to_other_as() const {  // null when it is another class
        return boost::dynamic_pointer_cast<T>(to_other());
    }

    // Copies of lists of numbers or tensors. An int where a list is expected is a list of one.
    Dims to_ints() const;
    std::vector<double> to_doubles() const;
    std::vector<bool> to_bools() const;
    TensorList to_tensors() const;  // None elements give undefined tensors

    // Borrowed access without counting, for hot paths; the tag must be right.
    TensorImpl* tensor_impl() const { return static_cast<TensorImpl*>(payload_.object); }
    RefCounted* object_pointer() const { return payload_.object; }

    // The same object (Python's `is`), or equal inline values.
    bool is_same(const IValue& other) const;

  private:
    IValue(Tag tag, RefCounted* object) noexcept;

    bool is_counted() const { return tag_ >= Tag::Tensor; }
    void retain() noexcept {
        if (is_counted()) intrusive_ptr_add_ref(payload_.object);
    }
    void release() noexcept {
        if (is_counted()) intrusive_ptr_release(payload_.object);
    }
    [[noreturn]] void wrong_tag(const char* expected) const;

    union Payload {
        std::int64_t integer;
        double real;
        Device device;
        RefCounted* object;
        Payload() : integer(0) {}
    };
    Payload payload_;
    Tag tag_;
};

// Arguments and results of a call, last on top when used as a stack.
using Stack = std::vector<IValue>;

// The type's name for messages: "Tensor", "int", "List[int]".
std::string value_type_name(const IValue& value);
// The most exact type known: List[int] of a list created with that element type. Tensor without shape.
TypePtr type_of(const IValue& value);
// Is the value of the type? For isinstance, and to check files.
bool is_instance(const IValue& value, const Type& type);
// Python's ==; tensors compare by identity. Lists, tuples, dicts element by element.
bool values_equal(const IValue& a, const IValue& b);
// Python's str() and repr() of it; tensors as PyTorch prints small ones is the job of core/ops, here "Tensor(...)".
std::string python_str(const IValue& value);
std::string python_repr(const IValue& value);
// As PyTorch's schemas and graphs write it: 1., 1.0000000000000001e-05, "text", [1, 2].
std::string constant_text(const IValue& value);
// Calls visit on every tensor inside, through lists, tuples and dicts (by insertion), not into objects.
void visit_tensors(const IValue& value, const std::function<void(const Tensor&)>& visit);

namespace detail {
// Releases the elements of a container in its destructor. Nested containers are released in a loop: recursion would
// overflow the stack.
void let_go(std::vector<IValue>& elements);
}  // namespace detail

class StringObject final : public RefCounted {
  public:
    explicit StringObject(std::string value) : text(std::move(value)) {}
    const std::string text;
};

class ComplexObject final : public RefCounted {
  public:
    explicit ComplexObject(std::complex<double> v) : value(v) {}
    const std::complex<double> value;
};

class ListObject final : public RefCounted {
  public:
    explicit ListObject(TypePtr element, std::vector<IValue> values = {})
        : element_type(std::move(element)), elements(std::move(values)) {}
    ~ListObject() override { detail::let_go(elements); }
    TypePtr element_type;
    std::vector<IValue> elements;
};

class TupleObject final : public RefCounted {
  public:
    // type: null, or the named tuple's.
    explicit TupleObject(std::vector<IValue> values, TypePtr tuple_type = nullptr)
        : elements(std::move(values)), type(std::move(tuple_type)) {}
    ~TupleObject() override { detail::let_go(elements); }
    std::vector<IValue> elements;
    TypePtr type;
};

// Keeps insertion order. Keys: str, int, float, bool, complex, tensor (by identity), device, enum and tuples of them.
class DictObject final : public RefCounted {
  public:
    DictObject(TypePtr key, TypePtr value) : key_type(std::move(key)), value_type(std::move(value)) {}
    ~DictObject() override;
    TypePtr key_type;
    TypePtr value_type;

    using Entry = std::pair<IValue, IValue>;
    std::size_t size() const { return entries_.size(); }
    const std::vector<Entry>& entries() const { return entries_; }
    const IValue* find(const IValue& key) const;
    void set(IValue key, IValue value);
    bool erase(const IValue& key);
    void clear();

  private:
    struct KeyHash {
        std::size_t operator()(const IValue& key) const;
    };
    struct KeyEqual {
        bool operator()(const IValue& a, const IValue& b) const { return values_equal(a, b); }
    };
    std::vector<Entry> entries_;
    std::unordered_map<IValue, std::size_t, KeyHash, KeyEqual> index_;
};

// An instance of a class type: one slot an attribute. Modules derive from it.
class Object : public RefCounted {
  public:
    explicit Object(Ptr<ClassType> type) : type_(std::move(type)), slots_(type_->attributes().size()) {}

    const Ptr<ClassType>& type() const { return type_; }
    const IValue& slot(std::size_t index) const { return slots_[index]; }
    void set_slot(std::size_t index, IValue value) {
        if (index >= slots_.size()) slots_.resize(index + 1);
        slots_[index] = std::move(value);
    }
    std::size_t slot_count() const { return slots_.size(); }
    // Throws Error (Run) when the class has no such attribute.
    const IValue& attribute(std::string_view name) const;
    void set_attribute(std::string_view name, IValue value);

  protected:
    Ptr<ClassType> type_;
    std::vector<IValue> slots_;
};

// An enum class: values by name, in order.
class EnumType final : public Type {
  public:
    static constexpr TypeKind kKind = TypeKind::Enum;
    EnumType(std::string qualified_name, TypePtr value, std::vector<std::pair<std::string, IValue>> named_values)
        : Type(kKind, {std::move(value)}, std::move(qualified_name)), values(std::move(named_values)) {}
    const std::vector<std::pair<std::string, IValue>> values;
};

class EnumValue final : public RefCounted {
  public:
    EnumValue(Ptr<const EnumType> enum_type, std::string value_name, IValue value_)
        : type(std::move(enum_type)), name(std::move(value_name)), value(std::move(value_)) {}
    const Ptr<const EnumType> type;
    const std::string name;
    const IValue value;
};

// The result of a fork; forks run at once when they are made, so it is always ready.
class FutureObject final : public RefCounted {
  public:
    explicit FutureObject(IValue result) : value(std::move(result)) {}
    const IValue value;
};

inline IValue::IValue(Tag tag, RefCounted* object) noexcept : tag_(object == nullptr ? Tag::None : tag) {
    payload_.object = object;
    retain();
}
inline IValue::IValue(Ptr<ListObject> list) noexcept : IValue(Tag::List, list.get()) {}
inline IValue::IValue(Ptr<TupleObject> tuple) noexcept : IValue(Tag::Tuple, tuple.get()) {}
inline IValue::IValue(Ptr<DictObject> dict) noexcept : IValue(Tag::Dict, dict.get()) {}
inline IValue::IValue(Ptr<Object> object) noexcept : IValue(Tag::Object, object.get()) {}
inline IValue::IValue(Ptr<EnumValue> value) noexcept : IValue(Tag::Enum, value.get()) {}
inline IValue::IValue(Ptr<FutureObject> future) noexcept : IValue(Tag::Future, future.get()) {}
inline bool IValue::to_bool() const {
    if (tag_ != Tag::Bool) wrong_tag("bool");
    return payload_.integer != 0;
}
inline std::int64_t IValue::to_int() const {
    if (tag_ != Tag::Int && tag_ != Tag::Bool) wrong_tag("int");
    return payload_.integer;
}
inline double IValue::to_double() const {
    if (tag_ == Tag::Double) return payload_.real;
    if (tag_ != Tag::Int && tag_ != Tag::Bool) wrong_tag("float");
    return static_cast<double>(payload_.integer);
}
inline Tensor IValue::to_tensor() const& {
    if (tag_ == Tag::Tensor) return Tensor(Ptr<TensorImpl>(tensor_impl()));
    if (tag_ == Tag::None) return {};
    wrong_tag("Tensor");
}
inline Tensor IValue::to_tensor() && {
    if (tag_ == Tag::Tensor) {
        tag_ = Tag::None;
        return Tensor(Ptr<TensorImpl>(tensor_impl(), false));
    }
    if (tag_ == Tag::None) return {};
    wrong_tag("Tensor");
}
inline IValue::IValue(Tensor&& tensor) noexcept : tag_(tensor.defined() ? Tag::Tensor : Tag::None) {
    payload_.object = tensor.release();
}

}  // namespace loupe
