// SPDX-License-Identifier: Apache-2.0
#pragma once
// Shared by the parts of parametrizations.

#include "core/nn/module.h"

namespace loupe::nn {

bool has_right_inverse(const Module& module);
// The value itself when the method is not implemented for it.
IValue call_right_inverse(Module& module, const IValue& value);

// Of a ParametrizationList: its forward and right_inverse.
IValue parametrized_value(Module& list);
void set_parametrized_value(Module& list, IValue value);

}  // namespace loupe::nn
