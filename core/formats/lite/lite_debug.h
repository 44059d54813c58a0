// SPDX-License-Identifier: Apache-2.0
#pragma once
// Debug handles of the lite interpreter: mobile_debug_handles.pkl gives each instruction a number,
// callstack_debug_map.pkl maps each number to its operator, source range and call stack of modules. Ranges are referred
// to by their numbers in the .debug_pkl files.

#include <string>
#include <unordered_map>
#include <vector>

#include "core/formats/lite/lite_bytecode.h"
#include "core/formats/pickle/debug_records.h"
#include "core/formats/pickle/torch_archive.h"

namespace loupe {

struct LiteDebugRecords {
    IValue handles;
    IValue calls;
    std::vector<ir::GeneratedFrom> places;  // without a tag so far: they need a new .debug_pkl
};

// Of the bytecode of this module.
LiteDebugRecords lite_debug_records(const nn::Module& module, const LiteBytecode& bytecode, PlaceTags& tags);

// Of each function's instructions, by its qualified name; empty when the archive has no handles. Throws Error (File)
// when they are damaged.
std::unordered_map<std::string, std::vector<LitePlace>> read_lite_places(const TorchArchive& archive);

}  // namespace loupe
