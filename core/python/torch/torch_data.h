// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tensors from Python's numbers and lists, and back.

#include <optional>

#include "core/python/language/operations.h"

namespace loupe::python {

// torch.tensor(data): numbers, nested sequences, tensors. Throws ValueError for rows of different lengths, RuntimeError
// for what has no dtype.
Tensor tensor_from_data(const IValue& data, std::optional<ScalarType> dtype = std::nullopt);
// The tensor behind an array of our numpy; nullopt for any other value.
std::optional<Tensor> tensor_of_array(const IValue& value);
// As an index of a tensor: int64, or bool and uint8 as they are.
Tensor index_from_data(const IValue& data);
// Tensor.tolist().
IValue to_list(const Tensor& tensor);
// A tensor or a sequence of tensors (None: undefined ones) as a list.
TensorList tensors_of(const IValue& value);
// Tensor.item(). Throws ValueError for more than one element.
IValue item_of(const Tensor& tensor);

}  // namespace loupe::python
