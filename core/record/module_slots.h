// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the attributes of modules hold, to be kept, exchanged and put back by runs that must leave no trace.

#include <functional>
#include <vector>

#include "core/nn/module.h"
#include "core/value/ivalue.h"

namespace loupe::session {

// Of the module itself, in the order of its type.
std::vector<IValue> slots_of(const nn::Module& module);
void put_slots(nn::Module& module, const std::vector<IValue>& slots);

// The same value with other tensors; containers are new ones. Undefined tensors stay.
IValue with_tensors(const IValue& value, const std::function<Tensor(const Tensor&)>& map);

}  // namespace loupe::session
