// SPDX-License-Identifier: Apache-2.0
#pragma once
// Calls of the engine's operators from the functions of at::.

#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/dispatch/registry.h"
#include "core/value/ivalue.h"

#include <loupe_torch/tensor.h>

namespace loupe::torch_api {

// --- arguments ---

IValue box(const at::Tensor& tensor);
IValue box(at::TensorList tensors);
IValue box(const c10::List<std::optional<at::Tensor>>& tensors);
IValue box(std::int64_t value);
IValue box(double value);
IValue box(bool value);
IValue box(const c10::Scalar& value);
IValue box(std::string_view text);
IValue box(c10::ScalarType dtype);
IValue box(c10::Layout layout);
IValue box(c10::Device device);
IValue box(c10::MemoryFormat format);
IValue box(const at::Generator& generator);
IValue box(c10::IntArrayRef list);
IValue box(c10::ArrayRef<double> list);
IValue box(c10::ArrayRef<c10::Scalar> list);
// One number stands for all of a list of that length.
IValue box(c10::IntArrayRef list, std::int64_t length);
IValue box(c10::OptionalIntArrayRef list);
IValue box(c10::OptionalIntArrayRef list, std::int64_t length);
template <std::size_t N>
IValue box(const std::array<bool, N>& values) {
    auto list = make_ptr<ListObject>(types::boolean());
    for (const bool value : values) list->elements.emplace_back(value);
    return list;
}
template <typename T>
IValue box(const std::optional<T>& value) {
    return value ? box(*value) : IValue();
}

// --- results ---

template <typename T>
struct Unboxed;
template <>
struct Unboxed<at::Tensor> {
    static at::Tensor from(IValue* v) { return at::Tensor(std::move(*v).to_tensor()); }
};
template <>
struct Unboxed<std::vector<at::Tensor>> {
    static std::vector<at::Tensor> from(IValue* v) {
        std::vector<at::Tensor> out;
        for (Tensor& t : v->to_tensors()) out.emplace_back(std::move(t));
        return out;
    }
};
template <>
struct Unboxed<std::int64_t> {
    static std::int64_t from(IValue* v) { return v->to_int(); }
};
template <>
struct Unboxed<double> {
    static double from(IValue* v) { return v->to_double(); }
};
template <>
struct Unboxed<bool> {
    static bool from(IValue* v) { return v->to_bool(); }
};
template <>
struct Unboxed<c10::Scalar> {
    static c10::Scalar from(IValue* v) { return v->to_scalar(); }
};
template <>
struct Unboxed<c10::ScalarType> {
    static c10::ScalarType from(IValue* v) { return static_cast<c10::ScalarType>(v->to_int()); }
};
template <typename... T>
struct Unboxed<std::tuple<T...>> {
    static std::tuple<T...> from(IValue* v) { return each(v, std::index_sequence_for<T...>()); }
    template <std::size_t... I>
    static std::tuple<T...> each(IValue* v, std::index_sequence<I...>) {
        return {Unboxed<T>::from(v + I)...};
    }
};

// --- errors ---

// The engine's error as the class of c10 that PyTorch throws there.
[[noreturn]] void rethrow(const loupe::Error& error);
template <typename Work>
decltype(auto) translated(Work&& work) {
    try {
        return work();
    } catch (const loupe::Error& error) {
        rethrow(error);
    }
}

// --- the call ---

class Operator {
  public:
    explicit Operator(const char* full_name);
    // arguments: all of the schema's.
    template <std::size_t N>
    void run(const IValue (&arguments)[N]) const {
        std::array<IValue, 8> results;
        run(std::span<const IValue>(arguments), results.data());
    }
    template <typename Result, std::size_t N>
    Result call(const IValue (&arguments)[N]) const {
        std::array<IValue, 8> results;
        run(std::span<const IValue>(arguments), results.data());
        return Unboxed<Result>::from(results.data());
    }

  private:
    void run(std::span<const IValue> arguments, IValue* results) const;
    const loupe::Operator& op_;
};

at::Tensor with_gradient(at::Tensor made, const c10::TensorOptions& options);

}  // namespace loupe::torch_api
