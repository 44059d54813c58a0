// SPDX-License-Identifier: Apache-2.0
#pragma once
// c10::ArrayRef: elements of somebody else's vector, array or list, and one that may be missing.

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <ostream>
#include <vector>

#include <loupe_torch/error.h>

namespace c10 {

using std::in_place;
using std::make_optional;
using std::nullopt;
using std::nullopt_t;
using std::optional;

template <typename T>
class ArrayRef {
  public:
    using value_type = T;
    using size_type = std::size_t;
    using iterator = const T*;
    using const_iterator = const T*;
    using reverse_iterator = std::reverse_iterator<iterator>;

    constexpr ArrayRef() = default;
    constexpr ArrayRef(const T& element) : data_(&element), size_(1) {}
    constexpr ArrayRef(const T* data, std::size_t size) : data_(data), size_(size) {}
    constexpr ArrayRef(const T* first, const T* last) : data_(first), size_(static_cast<std::size_t>(last - first)) {}
    template <typename A>
    ArrayRef(const std::vector<T, A>& elements) : data_(elements.data()), size_(elements.size()) {
        static_assert(!std::is_same_v<T, bool>, "a std::vector<bool> has no elements to refer to");
    }
    template <std::size_t N>
    constexpr ArrayRef(const std::array<T, N>& elements) : data_(elements.data()), size_(N) {}
    template <std::size_t N>
    constexpr ArrayRef(const T (&elements)[N]) : data_(elements), size_(N) {}
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winit-list-lifetime"
#endif
    // The list lives as long as the call that it is written in.
    constexpr ArrayRef(const std::initializer_list<T>& elements)
        : data_(elements.begin() == elements.end() ? nullptr : elements.begin()), size_(elements.size()) {}
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

    constexpr iterator begin() const { return data_; }
    constexpr iterator end() const { return data_ + size_; }
    constexpr const_iterator cbegin() const { return data_; }
    constexpr const_iterator cend() const { return data_ + size_; }
    constexpr reverse_iterator rbegin() const { return reverse_iterator(end()); }
    constexpr reverse_iterator rend() const { return reverse_iterator(begin()); }
    constexpr bool empty() const { return size_ == 0; }
    constexpr const T* data() const { return data_; }
    constexpr std::size_t size() const { return size_; }
    const T& front() const { return at(0); }
    const T& back() const { return at(size_ - 1); }
    constexpr const T& operator[](std::size_t index) const { return data_[index]; }
    const T& at(std::size_t index) const {
        TORCH_CHECK(index < size_, "ArrayRef: invalid index Index = ", index, "; Length = ", size_);
        return data_[index];
    }
    ArrayRef slice(std::size_t first, std::size_t count) const {
        TORCH_CHECK(first + count <= size_, "ArrayRef: invalid slice, N = ", first, "; M = ", count,
                    "; size = ", size_);
        return {data_ + first, count};
    }
    ArrayRef slice(std::size_t first) const { return slice(first, size_ - first); }
    bool equals(ArrayRef other) const { return std::equal(begin(), end(), other.begin(), other.end()); }
    std::vector<T> vec() const { return {begin(), end()}; }

  private:
    const T* data_ = nullptr;
    std::size_t size_ = 0;
};

template <typename T>
bool operator==(ArrayRef<T> a, ArrayRef<T> b) {
    return a.equals(b);
}
template <typename T>
bool operator!=(ArrayRef<T> a, ArrayRef<T> b) {
    return !a.equals(b);
}
template <typename T>
bool operator==(const std::vector<T>& a, ArrayRef<T> b) {
    return ArrayRef<T>(a).equals(b);
}
template <typename T>
bool operator==(ArrayRef<T> a, const std::vector<T>& b) {
    return a.equals(ArrayRef<T>(b));
}
template <typename T>
bool operator!=(const std::vector<T>& a, ArrayRef<T> b) {
    return !ArrayRef<T>(a).equals(b);
}
template <typename T>
bool operator!=(ArrayRef<T> a, const std::vector<T>& b) {
    return !a.equals(ArrayRef<T>(b));
}
template <typename T>
std::ostream& operator<<(std::ostream& out, ArrayRef<T> list) {
    out << '[';
    for (std::size_t i = 0; i < list.size(); ++i) out << (i == 0 ? "" : ", ") << list[i];
    return out << ']';
}

using IntArrayRef = ArrayRef<std::int64_t>;

template <typename T>
class OptionalArrayRef {
  public:
    constexpr OptionalArrayRef() = default;
    constexpr OptionalArrayRef(std::nullopt_t) {}
    constexpr OptionalArrayRef(ArrayRef<T> list) : list_(list) {}
    constexpr OptionalArrayRef(const std::optional<ArrayRef<T>>& list) : list_(list) {}
    constexpr OptionalArrayRef(const T& element) : list_(ArrayRef<T>(element)) {}
    template <typename A>
    OptionalArrayRef(const std::vector<T, A>& elements) : list_(ArrayRef<T>(elements)) {}
    template <std::size_t N>
    constexpr OptionalArrayRef(const std::array<T, N>& elements) : list_(ArrayRef<T>(elements)) {}
    constexpr OptionalArrayRef(const std::initializer_list<T>& elements) : list_(ArrayRef<T>(elements)) {}

    constexpr bool has_value() const { return list_.has_value(); }
    constexpr explicit operator bool() const { return has_value(); }
    constexpr const ArrayRef<T>& value() const { return list_.value(); }
    constexpr const ArrayRef<T>& operator*() const { return *list_; }
    constexpr const ArrayRef<T>* operator->() const { return &*list_; }

  private:
    std::optional<ArrayRef<T>> list_;
};
using OptionalIntArrayRef = OptionalArrayRef<std::int64_t>;

template <typename T>
ArrayRef<T> makeArrayRef(const std::vector<T>& elements) {
    return elements;
}

}  // namespace c10

namespace at {
using c10::ArrayRef;
using c10::IntArrayRef;
using c10::make_optional;
using c10::makeArrayRef;
using c10::nullopt;
using c10::optional;
using c10::OptionalArrayRef;
using c10::OptionalIntArrayRef;
}  // namespace at
