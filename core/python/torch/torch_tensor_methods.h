// SPDX-License-Identifier: Apache-2.0
#pragma once
// Attributes and methods of torch.Tensor that are no operators, or differ from them in Python.

#include <optional>

#include "core/python/language/operations.h"

namespace loupe::python {

// tensor.shape: nullopt when it is none of these.
std::optional<IValue> find_tensor_property(const IValue& self, std::string_view name);
// False when the name is none that can be set.
bool set_tensor_property(const IValue& self, std::string_view name, const IValue& value);

using TensorMethod = IValue (*)(const IValue& self, CallArguments& arguments);
// Null when the method is an operator's, or none.
TensorMethod find_tensor_method(std::string_view name);

// self.name(arguments): a method of above or an operator's. nullopt: there is none of that name.
std::optional<IValue> call_tensor_method(const IValue& self, std::string_view name, CallArguments& arguments);
bool has_tensor_method(std::string_view name);

// tensor.to(dtype), with autograd.
Tensor to_dtype(const Tensor& tensor, ScalarType dtype);
// "torch.FloatTensor", as Tensor.type() says it; and back: nullopt for what is none.
std::string tensor_type_text(const Tensor& tensor);
std::optional<ScalarType> dtype_of_tensor_type(std::string_view name);

}  // namespace loupe::python
