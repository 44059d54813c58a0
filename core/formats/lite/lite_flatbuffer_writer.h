// SPDX-License-Identifier: Apache-2.0
#pragma once
// Models for the lite interpreter as FlatBuffers, as _save_for_lite_interpreter(..., _use_flatbuffer=True) writes them.

#include <string>

#include "core/nn/module.h"

namespace loupe {

// The whole file: bytecode, attributes, and the source for torch.jit.load. Throws Error (Unsupported) as
// lite_bytecode, and for objects that only their own code restores, or past 2 GB.
std::string lite_flatbuffer(const nn::Module& module);

}  // namespace loupe
