// SPDX-License-Identifier: Apache-2.0
#pragma once
// c10::IValue: any value that a script takes or gives; lists, dicts and tuples of them.

#include <complex>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/value/ivalue.h"

#include <loupe_torch/tensor.h>

namespace c10 {

template <typename T>
using intrusive_ptr = std::shared_ptr<T>;
template <typename T, typename... Args>
intrusive_ptr<T> make_intrusive(Args&&... args) {
    return std::make_shared<T>(std::forward<Args>(args)...);
}

class IValue;
template <typename T>
class List;
template <typename K, typename V>
class Dict;

namespace ivalue {
class Tuple;
class ConstantString {
  public:
    explicit ConstantString(std::string text) : text_(std::move(text)) {}
    const std::string& string() const { return text_; }

  private:
    std::string text_;
};
class Object;
}  // namespace ivalue

class IValue {
  public:
    IValue() = default;
    IValue(std::nullopt_t) {}
    IValue(const at::Tensor& tensor) : engine_(tensor.engine()) {}
    IValue(const Scalar& value) : engine_(value.engine()) {}
    IValue(double value) : engine_(value) {}
    IValue(float value) : engine_(static_cast<double>(value)) {}
    IValue(std::int64_t value) : engine_(value) {}
    IValue(int value) : engine_(value) {}
    IValue(bool value) : engine_(value) {}
    template <typename T>
    IValue(std::complex<T> value) : engine_(std::complex<double>(value)) {}
    IValue(std::string text) : engine_(std::move(text)) {}
    IValue(const char* text) : engine_(text) {}
    IValue(Device device);
    IValue(ScalarType dtype) : engine_(static_cast<std::int64_t>(dtype)) {}
    IValue(const std::vector<at::Tensor>& tensors);
    IValue(const std::vector<std::int64_t>& values) : engine_(values) {}
    IValue(const std::vector<double>& values);
    IValue(const std::vector<bool>& values);
    IValue(const std::vector<std::string>& values);
    // A list of what they are: List[Any] where they differ.
    IValue(const std::vector<IValue>& values);
    IValue(IntArrayRef values) : IValue(values.vec()) {}
    template <typename T>
    IValue(const List<T>& list);
    template <typename K, typename V>
    IValue(const Dict<K, V>& dict);
    IValue(const intrusive_ptr<ivalue::Tuple>& tuple);
    template <typename... T>
    IValue(const std::tuple<T...>& values);
    template <typename T>
    IValue(const std::optional<T>& value) {
        if (value) *this = IValue(*value);
    }
    // The engine's own.
    explicit IValue(loupe::IValue engine) : engine_(std::move(engine)) {}
    const loupe::IValue& engine() const { return engine_; }

    bool isNone() const { return engine_.is_none(); }
    bool isTensor() const { return engine_.is_tensor(); }
    bool isInt() const { return engine_.is_int(); }
    bool isDouble() const { return engine_.is_double(); }
    bool isComplexDouble() const { return engine_.is_complex(); }
    bool isBool() const { return engine_.is_bool(); }
    bool isScalar() const { return engine_.is_number(); }
    bool isString() const { return engine_.is_string(); }
    bool isTuple() const { return engine_.is_tuple(); }
    bool isList() const { return engine_.is_list(); }
    bool isTensorList() const;
    bool isIntList() const;
    bool isDoubleList() const;
    bool isGenericDict() const { return engine_.is_dict(); }
    bool isObject() const { return engine_.is_object(); }
    bool isModule() const;
    bool isDevice() const { return engine_.is_device(); }
    // "Tensor", "Tuple", "Int", ...
    std::string tagKind() const;

    // Each throws c10::Error for another kind of value.
    at::Tensor toTensor() const;
    std::int64_t toInt() const;
    double toDouble() const;
    bool toBool() const;
    Scalar toScalar() const;
    Device toDevice() const;
    std::string toStringRef() const;
    std::string_view toStringView() const;
    intrusive_ptr<ivalue::ConstantString> toString() const {
        return make_intrusive<ivalue::ConstantString>(toStringRef());
    }
    intrusive_ptr<ivalue::Tuple> toTuple() const;
    ivalue::Tuple toTupleRef() const;
    List<IValue> toList() const;
    std::vector<IValue> toListRef() const;
    List<at::Tensor> toTensorList() const;
    std::vector<at::Tensor> toTensorVector() const;
    std::vector<std::int64_t> toIntVector() const;
    List<std::int64_t> toIntList() const;
    std::vector<double> toDoubleVector() const;
    List<double> toDoubleList() const;
    Dict<IValue, IValue> toGenericDict() const;
    template <typename T>
    T to() const;
    template <typename T>
    std::optional<T> toOptional() const {
        return isNone() ? std::nullopt : std::optional<T>(to<T>());
    }
    bool is(const IValue& other) const { return engine_.is_same(other.engine_); }
    friend bool operator==(const IValue& a, const IValue& b) { return loupe::values_equal(a.engine_, b.engine_); }

  private:
    loupe::IValue engine_;
};
std::ostream& operator<<(std::ostream& out, const IValue& value);

// Shares its elements with the value that it is of.
template <typename T>
class List {
  public:
    using value_type = T;
    List() : engine_(make({})) {}
    List(std::initializer_list<T> elements) : List(std::vector<T>(elements)) {}
    explicit List(ArrayRef<T> elements) : List(elements.vec()) {}
    explicit List(const std::vector<T>& elements) : engine_(make(elements)) {}
    explicit List(loupe::Ptr<loupe::ListObject> engine) : engine_(std::move(engine)) {}

    std::size_t size() const { return engine_->elements.size(); }
    bool empty() const { return size() == 0; }
    T get(std::size_t index) const { return IValue(engine_->elements.at(index)).template to<T>(); }
    T operator[](std::size_t index) const { return get(index); }
    void set(std::size_t index, const T& value) { engine_->elements.at(index) = IValue(value).engine(); }
    void push_back(const T& value) { engine_->elements.push_back(IValue(value).engine()); }
    void emplace_back(const T& value) { push_back(value); }
    void clear() { engine_->elements.clear(); }
    void reserve(std::size_t count) { engine_->elements.reserve(count); }
    std::vector<T> vec() const {
        std::vector<T> out;
        for (std::size_t i = 0; i < size(); ++i) out.push_back(get(i));
        return out;
    }

    class Iterator {
      public:
        using value_type = T;
        using difference_type = std::ptrdiff_t;
        using reference = T;
        using pointer = void;
        using iterator_category = std::input_iterator_tag;
        Iterator(const List* list, std::size_t index) : list_(list), index_(index) {}
        T operator*() const { return list_->get(index_); }
        Iterator& operator++() {
            ++index_;
            return *this;
        }
        bool operator==(const Iterator& other) const { return index_ == other.index_; }

      private:
        const List* list_;
        std::size_t index_;
    };
    using iterator = Iterator;
    Iterator begin() const { return {this, 0}; }
    Iterator end() const { return {this, size()}; }

    const loupe::Ptr<loupe::ListObject>& engine() const { return engine_; }

  private:
    static loupe::Ptr<loupe::ListObject> make(const std::vector<T>& elements);

    loupe::Ptr<loupe::ListObject> engine_;
};

template <typename K, typename V>
class Dict {
  public:
    Dict() : engine_(make()) {}
    explicit Dict(loupe::Ptr<loupe::DictObject> engine) : engine_(std::move(engine)) {}

    std::size_t size() const { return engine_->size(); }
    bool empty() const { return size() == 0; }
    bool contains(const K& key) const { return engine_->find(IValue(key).engine()) != nullptr; }
    // Throws std::out_of_range.
    V at(const K& key) const {
        const loupe::IValue* found = engine_->find(IValue(key).engine());
        if (found == nullptr) throw std::out_of_range("Argument passed to at() was not in the map.");
        return IValue(*found).template to<V>();
    }
    void insert(const K& key, const V& value) {
        if (!contains(key)) engine_->set(IValue(key).engine(), IValue(value).engine());
    }
    void insert_or_assign(const K& key, const V& value) { engine_->set(IValue(key).engine(), IValue(value).engine()); }

    class Entry {
      public:
        explicit Entry(const loupe::DictObject::Entry& engine) : engine_(engine) {}
        K key() const { return IValue(engine_.first).template to<K>(); }
        V value() const { return IValue(engine_.second).template to<V>(); }

      private:
        loupe::DictObject::Entry engine_;
    };
    class Iterator {
      public:
        using value_type = Entry;
        using difference_type = std::ptrdiff_t;
        Iterator(const loupe::DictObject* dict, std::size_t index) : dict_(dict), index_(index) {}
        Entry operator*() const { return Entry(dict_->entries()[index_]); }
        std::shared_ptr<Entry> operator->() const { return std::make_shared<Entry>(**this); }
        Iterator& operator++() {
            ++index_;
            return *this;
        }
        bool operator==(const Iterator& other) const { return index_ == other.index_; }

      private:
        const loupe::DictObject* dict_;
        std::size_t index_;
    };
    Iterator begin() const { return {engine_.get(), 0}; }
    Iterator end() const { return {engine_.get(), size()}; }
    Iterator find(const K& key) const {
        const loupe::IValue* found = engine_->find(IValue(key).engine());
        std::size_t index = 0;
        while (index < size() && &engine_->entries()[index].second != found) ++index;
        return {engine_.get(), index};
    }

    const loupe::Ptr<loupe::DictObject>& engine() const { return engine_; }

  private:
    static loupe::Ptr<loupe::DictObject> make();

    loupe::Ptr<loupe::DictObject> engine_;
};

namespace impl {
using GenericList = List<IValue>;
using GenericDict = Dict<IValue, IValue>;
// The type of elements that a list of T has in a script.
template <typename T>
loupe::TypePtr script_type() {
    if constexpr (std::is_same_v<T, at::Tensor>)
        return loupe::types::tensor();
    else if constexpr (std::is_same_v<T, std::int64_t>)
        return loupe::types::integer();
    else if constexpr (std::is_same_v<T, double>)
        return loupe::types::floating();
    else if constexpr (std::is_same_v<T, bool>)
        return loupe::types::boolean();
    else if constexpr (std::is_same_v<T, std::string>)
        return loupe::types::string();
    else if constexpr (std::is_same_v<T, std::optional<at::Tensor>>)
        return loupe::types::optional(loupe::types::tensor());
    else
        return loupe::types::any();
}
}  // namespace impl

namespace ivalue {
class Tuple {
  public:
    explicit Tuple(std::vector<IValue> elements) : elements_(std::move(elements)) {}
    static intrusive_ptr<Tuple> create(std::vector<IValue> elements) {
        return std::make_shared<Tuple>(std::move(elements));
    }
    template <typename... T>
    static intrusive_ptr<Tuple> create(T&&... elements) {
        return std::make_shared<Tuple>(std::vector<IValue>{IValue(std::forward<T>(elements))...});
    }
    const std::vector<IValue>& elements() const { return elements_; }
    std::size_t size() const { return elements_.size(); }

  private:
    std::vector<IValue> elements_;
};
}  // namespace ivalue

template <typename T>
loupe::Ptr<loupe::ListObject> List<T>::make(const std::vector<T>& elements) {
    auto list = loupe::make_ptr<loupe::ListObject>(impl::script_type<T>());
    for (const T& element : elements) list->elements.push_back(IValue(element).engine());
    return list;
}
template <typename K, typename V>
loupe::Ptr<loupe::DictObject> Dict<K, V>::make() {
    return loupe::make_ptr<loupe::DictObject>(impl::script_type<K>(), impl::script_type<V>());
}
template <typename T>
IValue::IValue(const List<T>& list) : engine_(list.engine()) {}
template <typename K, typename V>
IValue::IValue(const Dict<K, V>& dict) : engine_(dict.engine()) {}
template <typename... T>
IValue::IValue(const std::tuple<T...>& values) {
    *this = std::apply([](const auto&... each) { return IValue(ivalue::Tuple::create(each...)); }, values);
}
template <typename T>
T IValue::to() const {
    if constexpr (std::is_same_v<T, IValue>)
        return *this;
    else if constexpr (std::is_same_v<T, at::Tensor>)
        return toTensor();
    else if constexpr (std::is_same_v<T, std::optional<at::Tensor>>)
        return isNone() ? std::nullopt : std::optional(toTensor());
    else if constexpr (std::is_same_v<T, bool>)
        return toBool();
    else if constexpr (std::is_integral_v<T>)
        return static_cast<T>(toInt());
    else if constexpr (std::is_floating_point_v<T>)
        return static_cast<T>(toDouble());
    else if constexpr (std::is_same_v<T, std::string>)
        return toStringRef();
    else if constexpr (std::is_same_v<T, Scalar>)
        return toScalar();
    else if constexpr (std::is_same_v<T, std::vector<at::Tensor>>)
        return toTensorVector();
    else if constexpr (std::is_same_v<T, std::vector<std::int64_t>>)
        return toIntVector();
    else if constexpr (std::is_same_v<T, std::vector<double>>)
        return toDoubleVector();
    else if constexpr (std::is_same_v<T, List<at::Tensor>>)
        return toTensorList();
    else if constexpr (std::is_same_v<T, impl::GenericList>)
        return toList();
    else
        return T(toGenericDict().engine());
}

}  // namespace c10

namespace at {
using c10::IValue;
}
namespace torch {
using c10::Dict;
using c10::IValue;
using c10::List;
}  // namespace torch
