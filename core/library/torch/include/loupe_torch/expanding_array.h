// SPDX-License-Identifier: Apache-2.0
#pragma once
// torch::ExpandingArray: D numbers, of which one alone stands for all.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include <loupe_torch/array_ref.h>
#include <loupe_torch/error.h>

namespace torch {

// Lists throw c10::Error when they have not D elements.
template <std::size_t D, typename T = std::int64_t>
class ExpandingArray {
  public:
    ExpandingArray(std::initializer_list<T> list) : ExpandingArray(c10::ArrayRef<T>(list)) {}
    ExpandingArray(const std::vector<T>& list) : ExpandingArray(c10::ArrayRef<T>(list)) {}
    ExpandingArray(c10::ArrayRef<T> list) {
        TORCH_CHECK(list.size() == D, "Expected ", D, " values, but instead got ", list.size());
        std::copy(list.begin(), list.end(), values_.begin());
    }
    ExpandingArray(T number) { values_.fill(number); }
    ExpandingArray(const std::array<T, D>& values) : values_(values) {}

    std::array<T, D>& operator*() { return values_; }
    const std::array<T, D>& operator*() const { return values_; }
    std::array<T, D>* operator->() { return &values_; }
    const std::array<T, D>* operator->() const { return &values_; }
    operator c10::ArrayRef<T>() const { return {values_.data(), D}; }
    std::size_t size() const noexcept { return D; }

  protected:
    std::array<T, D> values_;
};

template <std::size_t D, typename T>
std::ostream& operator<<(std::ostream& out, const ExpandingArray<D, T>& values) {
    if constexpr (D == 1)
        return out << values->at(0);
    else
        return out << static_cast<c10::ArrayRef<T>>(values);
}

// D numbers of which some may be missing: sizes that stay what they are.
template <std::size_t D, typename T = std::int64_t>
class ExpandingArrayWithOptionalElem : public ExpandingArray<D, std::optional<T>> {
    using Base = ExpandingArray<D, std::optional<T>>;

  public:
    using Base::Base;
    ExpandingArrayWithOptionalElem(std::initializer_list<T> list)
        : ExpandingArrayWithOptionalElem(c10::ArrayRef<T>(list)) {}
    ExpandingArrayWithOptionalElem(const std::vector<T>& list)
        : ExpandingArrayWithOptionalElem(c10::ArrayRef<T>(list)) {}
    ExpandingArrayWithOptionalElem(c10::ArrayRef<T> list) : Base(std::optional<T>()) {
        TORCH_CHECK(list.size() == D, "Expected ", D, " values, but instead got ", list.size());
        std::copy(list.begin(), list.end(), this->values_.begin());
    }
    ExpandingArrayWithOptionalElem(T number) : Base(std::optional<T>(number)) {}
    ExpandingArrayWithOptionalElem(const std::array<T, D>& values)
        : ExpandingArrayWithOptionalElem(c10::ArrayRef<T>(values.data(), D)) {}
};

template <std::size_t D, typename T>
std::ostream& operator<<(std::ostream& out, const ExpandingArrayWithOptionalElem<D, T>& values) {
    std::vector<std::string> texts;
    for (const std::optional<T>& each : *values) {
        std::ostringstream text;
        if (each) text << *each;
        texts.push_back(each ? text.str() : "None");
    }
    if constexpr (D == 1)
        return out << texts[0];
    else
        return out << c10::ArrayRef<std::string>(texts);
}

}  // namespace torch
