// SPDX-License-Identifier: Apache-2.0
#pragma once
// Folders as Hugging Face's transformers saves models: config.json and weights by name. The program is one of ours,
// chosen by the config's model_type: resources/models/architectures, run like any model source.

#include <span>

#include "core/formats/format_reader.h"
#include "core/python/language/object.h"

namespace loupe::python {

// Made of resources/models/architectures by embed_python.cmake.
std::span<const ModuleRecord> architectures_in_python();

// Takes the folder, its config.json, or one of the weight files that its model is read from. Weights view their files.
// An unknown model_type, and weights that are missing or have another size than the config says, give the tree of the
// weights alone, with the reason in cannot_run. Throws Error (File) for a config or weights that are damaged.
FormatReader pretrained_format();

}  // namespace loupe::python
