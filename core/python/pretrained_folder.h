// SPDX-License-Identifier: Apache-2.0
#pragma once
// Folders as Hugging Face's transformers saves models: config.json and weights by name. The program is one of ours,
// chosen by the config's model_type: resources/models/architectures, run like any model source.

#include <span>

#include <string>

#include "core/formats/checkpoint/checkpoint_tree.h"
#include "core/formats/format_reader.h"
#include "core/python/language/object.h"

namespace loupe::python {

class Evaluator;

// Made of resources/models/architectures by embed_python.cmake.
std::span<const ModuleRecord> architectures_in_python();

// Takes the folder, its config.json, or one of the weight files that its model is read from. Weights view their files.
// An unknown model_type, and weights that are missing or have another size than the config says, give the tree of the
// weights alone, with the reason in cannot_run. Throws Error (File) for a config or weights that are damaged.
FormatReader pretrained_format();

// A config.json, or what stands for it.
struct PretrainedConfig {
    std::string text;  // JSON
    std::string model_type;
    std::string what;                    // "a Hugging Face folder (llama)"
    std::string source = "config.json";  // in errors
    std::string holder = "folder";       // of the weights
};
// The model of such a config, as pretrained_format() opens it: weights by transformers' names.
ModelFile open_architecture(const PretrainedConfig& config, CheckpointWeights weights);
// One that has the modules of resources/models/architectures.
Ptr<Evaluator> evaluator_of_architectures();

// GGUF files of architectures that there is one for (resources/models/architectures/gguf.py); of others the tree.
FormatReader gguf_format();

}  // namespace loupe::python
