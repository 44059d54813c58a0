// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a ParameterList or ParameterDict holds: tensors as parameters, other values (None) as they are.

#include <string>

#include "core/nn/module.h"

namespace loupe::nn::layers {

// In order, by name.
Named<IValue> held_values(const Module& self);
void hold(Module& self, const std::string& name, const IValue& value);
void let_go(Module& self, const std::string& name);

}  // namespace loupe::nn::layers
