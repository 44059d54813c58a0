// SPDX-License-Identifier: Apache-2.0
#pragma once
// The bytecode of the lite interpreter: instructions for a stack and registers, as bytecode.pkl of a .ptl file holds
// them.

#include <memory>
#include <string>
#include <vector>

#include "core/ir/graph.h"
#include "core/nn/module.h"

namespace loupe {

// The origin of an instruction.
struct LitePlace {
    std::string kind;                             // "aten::add"
    ir::SourceRange range;                        // in the user's source
    std::shared_ptr<const ir::InlinedCall> call;  // that led there; null in the method itself
};

struct LiteBytecode {
    // (8, (qualified name, (instructions, operators, constants, types, register_size), (arguments, returns)), ...)
    IValue functions;
    std::vector<std::vector<LitePlace>> places;  // of each function's instructions
};

// A function for each method of the module, with all calls inlined, then __setstate__ and __getstate__ of the objects
// inside; torch::jit::mobile. Throws Error (Unsupported) for constructs without an instruction: forks,
// context managers, new objects of classes, calls through interfaces.
LiteBytecode lite_bytecode(const nn::Module& module);

}  // namespace loupe
