// SPDX-License-Identifier: Apache-2.0
#pragma once
// Inputs that stand in files: .npz with arg0, arg1, ... (a list: arg0.0, arg0.1), .npy, pickled tensors, pictures.

#include <filesystem>
#include <string>
#include <vector>

#include "core/session/model_info.h"
#include "core/session/requests.h"
#include "core/value/ivalue.h"
#include "core/value/schema.h"

namespace loupe::session {

// key: in an .npz its name; in a .pt the place in a tuple, or the key of a dict; else unused. A picture becomes
// float32 [1, C, H, W] in 0 .. 1. Throws Error (Usage, File).
Tensor read_input_tensor(const std::filesystem::path& file, const std::string& key);
// What stands at that place of a .pt, of whatever type. Throws Error (Usage, File).
IValue read_input_value(const std::filesystem::path& file, const std::string& key);

// Specs for the arguments of a method, as far as the file has them. NumPy has no bfloat16: where all of the model's own
// floating-point parameters are of that type, float32 arrays stand for it.
std::vector<InputSpec> input_specs_of_file(const std::filesystem::path& file, const FunctionSchema& schema, const ModelInfo& model);

}  // namespace loupe::session
