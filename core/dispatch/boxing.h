// SPDX-License-Identifier: Apache-2.0
#pragma once
// Turns C++ functions with typed parameters into the boxed functions of a record:
//
//     Tensor addmm(const Tensor& self, const Tensor& m1, const Tensor& m2, const Scalar& beta, const Scalar& alpha);
//     .kernel = boxed<addmm>
//
// and, for records with `infer`, kernels that fill: void relu(const Tensor& out, const Tensor& self) with
// .kernel = filling<relu> (results first, then arguments), and TensorMeta f(const Tensor& self) with .infer =
// inferring<f>.
//
// Parameter types: Tensor (undefined for None), TensorList, std::int64_t, double, std::complex<double>, bool, Scalar,
// Dims, std::string_view, ScalarType, Device, std::vector<double>, std::vector<bool>, IValue, and std::optional of
// these.

#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "core/base/error.h"
#include "core/dispatch/record.h"

namespace loupe {
namespace detail {

[[noreturn]] void bad_dtype_number(std::int64_t number);

template <typename T>
struct Unbox;
template <>
struct Unbox<Tensor> {
    static Tensor from(const IValue& v) { return v.to_tensor(); }
};
template <>
struct Unbox<TensorList> {
    static TensorList from(const IValue& v) { return v.to_tensors(); }
};
template <>
struct Unbox<std::int64_t> {
    static std::int64_t from(const IValue& v) { return v.to_int(); }
};
template <>
struct Unbox<double> {
    static double from(const IValue& v) { return v.to_double(); }
};
template <>
struct Unbox<std::complex<double>> {
    static std::complex<double> from(const IValue& v) { return v.to_complex(); }
};
template <>
struct Unbox<bool> {
    static bool from(const IValue& v) { return v.to_bool(); }
};
template <>
struct Unbox<Scalar> {
    static Scalar from(const IValue& v) { return v.to_scalar(); }
};
template <>
struct Unbox<Dims> {
    static Dims from(const IValue& v) { return v.to_ints(); }
};
template <>
struct Unbox<std::vector<double>> {
    static std::vector<double> from(const IValue& v) { return v.to_doubles(); }
};
template <>
struct Unbox<std::vector<bool>> {
    static std::vector<bool> from(const IValue& v) { return v.to_bools(); }
};
template <>
struct Unbox<std::string_view> {
    static std::string_view from(const IValue& v) { return v.to_string(); }
};
template <>
struct Unbox<Device> {
    static Device from(const IValue& v) { return v.to_device(); }
};
template <>
struct Unbox<ScalarType> {
    static ScalarType from(const IValue& v) {
        if (const auto dtype = dtype_from_number(v.to_int())) return *dtype;
        bad_dtype_number(v.to_int());
    }
};
template <>
struct Unbox<IValue> {
    static const IValue& from(const IValue& v) { return v; }
};
template <typename T>
struct Unbox<std::optional<T>> {
    static std::optional<T> from(const IValue& v) {
        if (v.is_none()) return std::nullopt;
        return Unbox<T>::from(v);
    }
};

template <typename T>
void box_result(T&& value, IValue* results) {
    results[0] = IValue(std::forward<T>(value));
}
template <typename... T>
void box_result(std::tuple<T...>&& values, IValue* results) {
    std::apply(
        [&](auto&&... each) {
            std::size_t i = 0;
            ((results[i++] = IValue(std::move(each))), ...);
        },
        std::move(values));
}

template <typename F>
struct Signature;
template <typename R, typename... A>
struct Signature<R (*)(A...)> {
    using Result = R;
    static constexpr std::size_t kCount = sizeof...(A);
    template <std::size_t I>
    using Parameter = std::remove_cvref_t<std::tuple_element_t<I, std::tuple<A...>>>;
};

template <auto F, std::size_t... I>
void call_boxed([[maybe_unused]] Arguments arguments, IValue* results, std::index_sequence<I...>) {
    using S = Signature<decltype(+F)>;
    box_result(F(Unbox<typename S::template Parameter<I>>::from(arguments[I])...), results);
}

// Leading `Outputs` parameters are results to fill.
template <auto F, std::size_t Outputs, std::size_t... O, std::size_t... I>
void call_filling(Arguments arguments, IValue* results, std::index_sequence<O...>, std::index_sequence<I...>) {
    using S = Signature<decltype(+F)>;
    F(results[O].to_tensor()..., Unbox<typename S::template Parameter<I + Outputs>>::from(arguments[I])...);
}

template <auto F, std::size_t... I>
void call_inferring(Arguments arguments, MetaList& outputs, std::index_sequence<I...>) {
    using S = Signature<decltype(+F)>;
    if constexpr (std::is_same_v<typename S::Result, TensorMeta>) {
        outputs.push_back(F(Unbox<typename S::template Parameter<I>>::from(arguments[I])...));
    } else {
        outputs = F(Unbox<typename S::template Parameter<I>>::from(arguments[I])...);
    }
}

}  // namespace detail

// Returns Tensor, Scalar, int, ..., TensorList or a std::tuple of them. Also for composites.
template <auto F>
void boxed(Arguments arguments, IValue* results) {
    detail::call_boxed<F>(arguments, results, std::make_index_sequence<detail::Signature<decltype(+F)>::kCount>());
}

namespace detail {
template <auto F, std::size_t Outputs>
void fill(Arguments arguments, IValue* results) {
    constexpr std::size_t kArguments = Signature<decltype(+F)>::kCount - Outputs;
    call_filling<F, Outputs>(arguments, results, std::make_index_sequence<Outputs>(),
                             std::make_index_sequence<kArguments>());
}
}  // namespace detail

// void f(const Tensor& out, [const Tensor& out2, ...] arguments...).
template <auto F, std::size_t Outputs = 1>
inline constexpr FillingKernel filling{&detail::fill<F, Outputs>};

// TensorMeta f(arguments...), or MetaList f(arguments...) for several results.
template <auto F>
void inferring(Arguments arguments, MetaList& outputs) {
    detail::call_inferring<F>(arguments, outputs, std::make_index_sequence<detail::Signature<decltype(+F)>::kCount>());
}

}  // namespace loupe
