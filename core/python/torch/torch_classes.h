// SPDX-License-Identifier: Apache-2.0
#pragma once
// torch.Tensor, torch.nn.Parameter and the old names of tensors of one dtype (torch.FloatTensor).

#include <optional>
#include <string_view>

#include "core/python/language/class.h"

namespace loupe::python {

ClassPtr tensor_class();
ClassPtr parameter_class();
// torch.LongTensor; nullopt for a name that is none.
std::optional<IValue> find_tensor_type(std::string_view name);

}  // namespace loupe::python
