// SPDX-License-Identifier: Apache-2.0
#pragma once
// The bytecode of the lite interpreter: instructions for a stack and registers, as bytecode.pkl of a .ptl file holds them.

#include "core/nn/module.h"

namespace loupe {

// (8, (qualified name, (instructions, operators, constants, types, register_size), (arguments, returns)), ...), a function
// for each method of the module, with all calls inlined; torch::jit::mobile. Throws Error (Unsupported) for what the lite
// interpreter has no instruction for: forks, context managers, new objects of classes, calls through interfaces.
IValue lite_bytecode(const nn::Module& module);

}  // namespace loupe
