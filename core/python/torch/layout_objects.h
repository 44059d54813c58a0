// SPDX-License-Identifier: Apache-2.0
#pragma once
// torch.strided, torch.sparse_coo and the compressed sparse layouts.

#include <optional>

#include "core/tensor/tensor.h"
#include "core/value/ivalue.h"

namespace loupe::python {

// By the name after "torch."; one object each.
std::optional<IValue> find_layout(std::string_view name);
// The layout of a tensor.
IValue layout_of_tensor(const Tensor& t);
bool is_layout(const IValue& value);

}  // namespace loupe::python
