// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <iterator>

namespace c10 {

// 0, 1, ..., end - 1 and start, ..., end - 1, for loops.
template <typename T>
class IntegerRange {
  public:
    class Iterator {
      public:
        using value_type = T;
        using difference_type = std::ptrdiff_t;
        using iterator_category = std::input_iterator_tag;
        using pointer = const T*;
        using reference = T;
        explicit Iterator(T value) : value_(value) {}
        T operator*() const { return value_; }
        Iterator& operator++() {
            ++value_;
            return *this;
        }
        bool operator==(const Iterator&) const = default;

      private:
        T value_;
    };
    IntegerRange(T start, T end) : start_(start), end_(end < start ? start : end) {}
    Iterator begin() const { return Iterator(start_); }
    Iterator end() const { return Iterator(end_); }

  private:
    T start_, end_;
};

template <typename T>
IntegerRange<T> irange(T end) {
    return {T{}, end};
}
template <typename A, typename B>
IntegerRange<B> irange(A start, B end) {
    return {static_cast<B>(start), end};
}

}  // namespace c10
