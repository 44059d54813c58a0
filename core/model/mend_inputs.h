// SPDX-License-Identifier: Apache-2.0
#pragma once
// Inputs of a model whose file says nothing of them: a guess, changed by what errors say until the model runs.

#include <functional>
#include <vector>

#include "core/model/input_spec.h"

namespace loupe::session {

// attempt: runs the model on inputs, for nothing but its errors. The first change of the guess that it accepts; the
// guess itself where none is found soon.
std::vector<InputSpec> mend_inputs(const std::vector<InputSpec>& guess,
                                   const std::function<void(const std::vector<InputSpec>&)>& attempt);

}  // namespace loupe::session
