// SPDX-License-Identifier: Apache-2.0
#pragma once
// Options of layers and functions of LibTorch's names: as values of the engine, and as LibTorch prints them.

#include <optional>
#include <ostream>
#include <tuple>
#include <type_traits>
#include <variant>
#include <vector>

#include "core/library/torch/call.h"

#include <loupe_torch/archive.h>
#include <loupe_torch/enum.h>
#include <loupe_torch/expanding_array.h>

namespace loupe::torch_api {

template <typename T>
concept IsPlainOption = std::is_arithmetic_v<T> || std::is_same_v<T, std::string>;

template <IsPlainOption T>
IValue boxed_option(const T& value) {
    return IValue(value);
}
inline IValue boxed_option(const at::Tensor& tensor) { return tensor.defined() ? IValue(tensor.engine()) : IValue(); }
inline IValue boxed_option(c10::ScalarType dtype) { return box(dtype); }
inline IValue boxed_option(const std::tuple<double, double>& both) {
    return make_ptr<TupleObject>(std::vector<IValue>{std::get<0>(both), std::get<1>(both)});
}
template <typename T>
IValue boxed_option(const std::vector<T>& list) {
    return box(c10::ArrayRef<T>(list));
}
template <std::size_t D, typename T>
IValue boxed_option(const torch::ExpandingArray<D, T>& values) {
    if constexpr (D == 1)
        return IValue(values->at(0));
    else if constexpr (std::is_same_v<T, double>)
        return make_ptr<TupleObject>(std::vector<IValue>(values->begin(), values->end()));
    else
        return box(static_cast<c10::ArrayRef<T>>(values));
}
template <std::size_t D, typename T>
IValue boxed_option(const torch::ExpandingArrayWithOptionalElem<D, T>& values) {
    std::vector<IValue> all;
    for (const std::optional<T>& each : *values) all.push_back(each ? IValue(*each) : IValue());
    return make_ptr<TupleObject>(std::move(all));
}
template <typename... T>
IValue boxed_option(const std::variant<T...>& value) {
    return std::visit(
        [](const auto& each) {
            if constexpr (torch::nn::detail::IsWord<std::decay_t<decltype(each)>>)
                return IValue(std::decay_t<decltype(each)>::text);
            else
                return boxed_option(each);
        },
        value);
}
// Of sizes: one stands for all dimensions.
inline IValue boxed_option(const std::optional<std::vector<std::int64_t>>& sizes) {
    if (!sizes) return {};
    return sizes->size() == 1 ? IValue(sizes->front()) : boxed_option(*sizes);
}
template <typename T>
IValue boxed_option(const std::optional<T>& value) {
    return value ? boxed_option(*value) : IValue();
}

// An option of an archive, where that has it.
inline void take_option(const c10::IValue& value, double& option) { option = value.toScalar().to<double>(); }
inline void take_option(const c10::IValue& value, std::int64_t& option) { option = value.toInt(); }
inline void take_option(const c10::IValue& value, bool& option) { option = value.toBool(); }
inline void take_option(const c10::IValue& value, std::string& option) { option = value.toStringRef(); }
inline void take_option(const c10::IValue& value, std::tuple<double, double>& option) {
    const auto both = value.toTupleRef().elements();
    option = {both.at(0).toDouble(), both.at(1).toDouble()};
}
template <typename T>
void take_option(const c10::IValue& value, std::optional<T>& option) {
    option.reset();
    if (value.isNone()) return;
    T given{};
    take_option(value, given);
    option = given;
}
template <typename T>
void read_option(torch::serialize::InputArchive& archive, const char* name, T& option) {
    c10::IValue value;
    if (archive.try_read(name, value)) take_option(value, option);
}

template <typename T>
void print_option(std::ostream& out, const T& value) {
    out << value;
}
// As LibTorch's, it leaves the stream writing words.
inline void print_option(std::ostream& out, bool value) { out << std::boolalpha << value; }
template <typename T>
void print_option(std::ostream& out, const std::vector<T>& list) {
    out << c10::ArrayRef<T>(list);
}
template <typename T>
void print_option(std::ostream& out, const std::optional<T>& value) {
    if (value)
        print_option(out, *value);
    else
        out << "None";
}
template <typename... T>
void print_option(std::ostream& out, const std::variant<T...>& value) {
    // A word that stands for numbers is quoted.
    constexpr bool is_of_words = (torch::nn::detail::IsWord<T> && ...);
    std::visit(
        [&](const auto& each) {
            using Each = std::decay_t<decltype(each)>;
            if constexpr (is_of_words)
                out << Each::name;
            else if constexpr (torch::nn::detail::IsWord<Each>)
                out << '\'' << Each::text << '\'';
            else
                print_option(out, each);
        },
        value);
}
inline void print_braced(std::ostream& out, const std::vector<std::int64_t>& list) {
    out << '{';
    for (std::size_t i = 0; i < list.size(); ++i) out << (i == 0 ? "" : ", ") << list[i];
    out << '}';
}

template <typename T>
bool differs(const T& value, const std::type_identity_t<T>& usual) {
    return value != usual;
}
template <std::size_t D, typename T>
bool differs(const torch::ExpandingArray<D, T>& value, const std::type_identity_t<torch::ExpandingArray<D, T>>& usual) {
    return *value != *usual;
}
template <std::size_t D, typename... Words>
bool differs(const std::variant<torch::ExpandingArray<D>, Words...>& value, std::int64_t usual) {
    const auto* numbers = std::get_if<0>(&value);
    return numbers == nullptr || differs(*numbers, torch::ExpandingArray<D>(usual));
}

}  // namespace loupe::torch_api
