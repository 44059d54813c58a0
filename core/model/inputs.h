// SPDX-License-Identifier: Apache-2.0
#pragma once
// Arguments of a method from their descriptions.

#include <filesystem>
#include <vector>

#include "core/model/input_spec.h"
#include "core/model/model_info.h"
#include "core/value/ivalue.h"
#include "core/value/schema.h"

namespace loupe::session {

// A value for the argument. Throws Error (Usage) when the description does not fit its type, or a file is missing.
IValue make_input(const InputSpec& spec, const Argument& argument);
// One value an argument of the schema, without self; arguments past the specs take their defaults.
// examples: what the model's own source gives, for specs that ask for it.
std::vector<IValue> make_inputs(const std::vector<InputSpec>& specs, const FunctionSchema& schema, bool has_self,
                                const std::vector<IValue>& examples = {});
// The spec for what a model source gives as its argument of that index.
InputSpec example_spec(const IValue& value, std::size_t index);

// The file's own sample inputs, NAME.in.npz beside it; empty when there are none.
std::filesystem::path samples_beside(const std::filesystem::path& model);
// Shapes that should fit, from the file's own sample inputs or the first layer's parameters.
// notes: what of the sample inputs does not fit, a line each.
std::vector<InputSpec> guess_inputs(const ModelInfo& model, const FunctionSchema& schema, bool has_self,
                                    std::vector<std::string>* notes = nullptr);

// Tensors inside a result, in order: lists and tuples flattened, a dict by sorted key.
TensorList flatten_tensors(const IValue& value);

}  // namespace loupe::session
