// SPDX-License-Identifier: Apache-2.0
#pragma once
// Model sources: .py files that build a model, opened like any model file.

#include "core/io/format_registry.h"
#include "core/python/evaluator.h"

namespace loupe::python {

// Runs the file. The model is what its module level calls `model`, else an instance of its only class derived from
// torch.nn.Module that can be built without arguments; `example_inputs` (a tuple) and `loss` are taken from there too.
// Without such a class there is no model: the program has just run. What it prints goes to runtime::print_text.
// Throws Error (Compile) for text that is no Python, Error (File) with the line for an exception that nobody caught, and
// when it is not clear which class, or with what arguments, is the model.
ModelFile open_model_source(const std::string& path);
// The same for a text; what it imports is looked for beside its file name.
ModelFile open_model_source(const std::shared_ptr<const ir::Source>& source);

// To be added to the formats at start.
FormatReader model_source_format();

}  // namespace loupe::python
