// SPDX-License-Identifier: Apache-2.0
#pragma once
// A program of graphs on another device: besides parameters and buffers, what torch.jit.load(map_location=...) would
// have put there.

#include "core/ir/compilation_unit.h"
#include "core/nn/module.h"

namespace loupe::session {

// Tensors of modules that are neither parameters nor buffers, in containers too.
void move_attributes(nn::Module& module, Device to);

// Tensors that graphs hold as constants. A trace also wrote down the device of every tensor that it made: in traced
// functions `from` becomes `to`. What a script says of devices stays as it is. Functions that do not compile are left
// out.
void move_constants(const ir::CompilationUnit& unit, Device from, Device to);

}  // namespace loupe::session
