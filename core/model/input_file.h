// SPDX-License-Identifier: Apache-2.0
#pragma once
// Inputs that stand in files: .npz with arg0, arg1, ... or the arguments' names (a list: arg0.0, arg0.1), .npy, pickled
// tensors, pictures.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/model/input_spec.h"
#include "core/model/model_info.h"
#include "core/value/ivalue.h"
#include "core/value/schema.h"

namespace loupe::session {

// key: in an .npz its name; in a .pt the place in a tuple, or the key of a dict; else unused. A picture becomes
// float32 [1, C, H, W] in 0 .. 1. Throws Error (Usage, File).
Tensor read_input_tensor(const std::filesystem::path& file, const std::string& key);
// What stands at that place of a .pt, of whatever type. Throws Error (Usage, File).
IValue read_input_value(const std::filesystem::path& file, const std::string& key);

// Specs for the arguments of a method, as far as the file has them. NumPy has no bfloat16: where all of the model's own
// floating-point parameters are of that type, float32 arrays stand for it. Throws Error (Usage) when an .npz lacks an
// argument that needs a value, and what reading the file throws.
std::vector<InputSpec> input_specs_of_file(const std::filesystem::path& file, const FunctionSchema& schema,
                                           const ModelInfo& model);

// What an .npz has for each argument, without self; unused: arrays that are of no argument, but for what runs and
// checks keep in such files beside the inputs (cot0, out0, grad.*, labels).
struct ArrayInputs {
    std::vector<std::optional<InputSpec>> arguments;
    std::vector<std::string> unused;
};
ArrayInputs array_inputs(const std::filesystem::path& file, const FunctionSchema& schema, const ModelInfo& model);

}  // namespace loupe::session
