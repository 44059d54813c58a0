// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "core/value/ivalue.h"

namespace loupe {

// The value with change(tensor) for every tensor inside, through lists, tuples and dicts; what holds no tensor stays
// the same object.
IValue map_tensors(const IValue& value, const std::function<Tensor(const Tensor&)>& change);
// The same with a new object for every container, so that what is written to one is not seen in the other. Undefined
// tensors stay, and tensors that are keys.
IValue copy_with_tensors(const IValue& value, const std::function<Tensor(const Tensor&)>& change);

}  // namespace loupe
