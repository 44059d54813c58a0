// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tuples of torch with a class of their own: torch.Size([2, 3]) and torch.return_types.max(values=..., indices=...).

#include "core/python/language/class.h"
#include "core/value/schema.h"

namespace loupe::python {

ClassPtr size_class();
IValue make_size(IntSpan sizes);
IValue make_size(std::vector<IValue> sizes);  // tensors while a run is traced
bool is_size(const IValue& value);

// Several results of a function, as the tuple that PyTorch names after it; a plain tuple where results have no names.
IValue named_results(std::string_view function, const std::vector<Argument>& returns, std::vector<IValue> results);

}  // namespace loupe::python
