// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the attributes of modules hold, to be kept, exchanged and put back by runs that must leave no trace.

#include <vector>

#include "core/nn/module.h"
#include "core/value/ivalue.h"

namespace loupe::session {

// Of the module itself, in the order of its type.
std::vector<IValue> slots_of(const nn::Module& module);
void put_slots(nn::Module& module, const std::vector<IValue>& slots);

}  // namespace loupe::session
