// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "core/value/ivalue.h"

namespace loupe {

// The value with change(tensor) for every tensor inside, through lists, tuples and dicts; what holds no tensor stays
// the same object.
IValue map_tensors(const IValue& value, const std::function<Tensor(const Tensor&)>& change);

}  // namespace loupe
