// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs the lite interpreter's bytecode as torch::jit::mobile does, to see what was written. It knows the instructions
// that files hold, and calls operators; nothing is checked.

#include "core/value/ivalue.h"

namespace loupe {

// code: (instructions, operators, constants, types, register_size) as named pairs. Returns the stack at RET.
std::vector<IValue> run_lite(const IValue& code, std::vector<IValue> inputs);

}  // namespace loupe
