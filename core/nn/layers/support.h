// SPDX-License-Identifier: Apache-2.0
#pragma once
// Helpers for the records of layers.

#include <initializer_list>

#include "core/dispatch/boxing.h"
#include "core/nn/default_device.h"
#include "core/nn/layer.h"

namespace loupe::nn::layers {

// The dtype and device that a constructor's last arguments ask for; torch's factory_kwargs.
struct Factory {
    Factory(const std::optional<Device>& given_device, const std::optional<ScalarType>& given_dtype)
        : device(given_device.value_or(default_device())), dtype(given_dtype.value_or(ScalarType::Float32)) {}
    // Not initialised.
    Tensor empty(std::initializer_list<std::int64_t> sizes) const {
        return loupe::empty(IntSpan(sizes.begin(), sizes.size()), dtype, device);
    }
    Tensor empty(IntSpan sizes) const { return loupe::empty(sizes, dtype, device); }
    // The same as a parameter of the module.
    void parameter(Module& self, const std::string& name, IntSpan sizes) const;
    void parameter(Module& self, const std::string& name, std::initializer_list<std::int64_t> sizes) const {
        parameter(self, name, IntSpan(sizes.begin(), sizes.size()));
    }

    Device device;
    ScalarType dtype;
};

// None under a parameter's name: bias=False.
void no_parameter(Module& self, const std::string& name);

// Attributes by name.
Tensor tensor(const Module& self, std::string_view name);  // undefined for None
std::int64_t integer(const Module& self, std::string_view name);
double number(const Module& self, std::string_view name);
bool flag(const Module& self, std::string_view name);
ModulePtr child(const Module& self, std::string_view name);

IValue tuple(IntSpan values);
IValue tuple(std::vector<IValue> values);
// As torch.Size, which prints as "torch.Size([2, 3])".
IValue torch_size(IntSpan values);

// A child or a callable, called.
IValue call_value(const IValue& callable, std::vector<IValue> arguments);

namespace detail {
template <auto F, std::size_t... I>
auto call_typed(Module& self, [[maybe_unused]] Arguments arguments, std::index_sequence<I...>) {
    using S = loupe::detail::Signature<decltype(+F)>;
    return F(self, loupe::detail::Unbox<typename S::template Parameter<I + 1>>::from(arguments[I])...);
}
template <auto F>
constexpr auto argument_indices() {
    return std::make_index_sequence<loupe::detail::Signature<decltype(+F)>::kCount - 1>();
}
}  // namespace detail

// void f(Module& self, std::int64_t in_features, bool bias, ...) as a record's init, of the constructor's first
// arguments.
template <auto F>
void builds(Module& self, Arguments arguments) {
    detail::call_typed<F>(self, arguments, detail::argument_indices<F>());
}
// Tensor f(Module& self, const Tensor& input, ...) as a record's forward or a method.
template <auto F>
IValue computes(Module& self, Arguments arguments) {
    return IValue(detail::call_typed<F>(self, arguments, detail::argument_indices<F>()));
}

}  // namespace loupe::nn::layers
