// SPDX-License-Identifier: Apache-2.0
#pragma once
// The fields of a struct that is only a value, for code that visits all of them: beside the struct stands
//
//     auto fields(Like<PassStep> auto& it) { return std::tie(it.pass, it.changed); }
//
// in the order of the struct, and beside an enumeration the last of its values, which are 0, 1, ...:
//
//     constexpr RunPhase last_of(RunPhase) { return RunPhase::Optimizer; }

#include <concepts>
#include <tuple>
#include <type_traits>

namespace loupe {

template <typename T, typename Struct>
concept Like = std::same_as<std::remove_const_t<T>, Struct>;

template <typename T>
concept HasFields = requires(T& value) {
    fields(value);
};

template <typename T>
inline constexpr std::size_t kFieldsListed = std::tuple_size_v<decltype(fields(std::declval<T&>()))>;

// What can stand for a field of any type, in an initialiser that is never run.
struct AnyField {
    template <typename T>
    operator T() const;
};

// How many fields an aggregate has.
template <typename T, typename... Given>
constexpr std::size_t field_count() {
    if constexpr (requires { T{std::declval<Given>()..., AnyField()}; })
        return field_count<T, Given..., AnyField>();
    else
        return sizeof...(Given);
}

}  // namespace loupe
