// SPDX-License-Identifier: Apache-2.0
#pragma once
// Values of the types that travel between processes, with something in every field.

#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/fields.h"

namespace loupe::test {

template <typename T>
struct IsRow : std::false_type {};
template <typename T>
struct IsRow<std::vector<T>> : std::true_type {};
template <typename T, std::size_t N>
struct IsRow<std::array<T, N>> : std::true_type {};

// Gives every field a value that no other has, and that is not its default.
class Filler {
  public:
    explicit Filler(int first = 0) : count_(first) {}

    template <typename T>
    void fill(T& value) {
        if constexpr (std::is_same_v<T, bool>)
            value = !value;
        else if constexpr (std::is_enum_v<T>)
            value = last_of(T());
        else if constexpr (std::is_arithmetic_v<T>)
            value = static_cast<T>(++count_ % 100 + 1);
        else if constexpr (std::is_same_v<T, std::string>)
            value = text();
        else if constexpr (std::is_same_v<T, std::filesystem::path>)
            value = text();
        else if constexpr (std::is_same_v<T, std::string_view>)
            value = "a text that is kept";
        else if constexpr (IsRow<T>::value)
            fill_row(value);
        else if constexpr (HasFields<T>)
            fill_fields(value);
        else
            fill_other(value);
    }

  private:
    template <typename T>
    void fill_fields(T& value) {
        if (depth_ > 3) return;  // an InputSpec of InputSpecs
        ++depth_;
        std::apply([&](auto&... each) { (fill(each), ...); }, fields(value));
        --depth_;
    }
    template <typename T, std::size_t N>
    void fill_row(std::array<T, N>& row) {
        for (T& each : row) fill(each);
    }
    template <typename T>
    void fill_row(std::vector<T>& row) {
        for (int i = 0; i < 2; ++i) {
            T each{};
            fill(each);
            row.push_back(std::move(each));
        }
    }
    template <typename T>
    void fill_other(std::optional<T>& value) {
        T made{};
        fill(made);
        value = std::move(made);
    }
    template <typename A, typename B>
    void fill_other(std::pair<A, B>& value) {
        fill(value.first);
        fill(value.second);
    }
    template <typename K, typename V>
    void fill_other(std::map<K, V>& value) {
        for (int i = 0; i < 2; ++i) {
            K key{};
            fill(key);
            fill(value[key]);
        }
    }
    template <typename... Of>
    void fill_other(std::set<Of...>& value) {
        value.insert(text());
        value.insert(text());
    }
    template <typename T>
    void fill_other(std::shared_ptr<const T>& value) {
        auto made = std::make_shared<T>();
        fill(*made);
        value = std::move(made);
    }
    template <typename T>
    void fill_other(std::weak_ptr<T>&) {}
    std::string text() { return "text " + std::to_string(++count_); }

    int count_;
    int depth_ = 0;
};

template <typename T>
T filled(int first = 0) {
    T value{};
    Filler(first).fill(value);
    return value;
}

}  // namespace loupe::test
