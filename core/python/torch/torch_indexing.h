// SPDX-License-Identifier: Apache-2.0
#pragma once
// t[key] and t[key] = value, recorded as the operators that PyTorch's python_variable_indexing.cpp calls.

#include "core/python/language/operations.h"

namespace loupe::python {

IValue tensor_item(const Tensor& tensor, const IValue& key);
void set_tensor_item(const Tensor& tensor, const IValue& key, const IValue& value);

}  // namespace loupe::python
