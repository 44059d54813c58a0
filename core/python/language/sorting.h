// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "core/value/ivalue.h"

namespace loupe::python {

// sorted(values, key=key, reverse=is_reversed): stable. key: None for the values themselves.
std::vector<IValue> sorted_values(std::vector<IValue> values, const IValue& key, bool is_reversed);

}  // namespace loupe::python
