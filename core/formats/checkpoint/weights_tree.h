// SPDX-License-Identifier: Apache-2.0
#pragma once
// Weights without a program as a model file: a tree of modules that cannot be run.

#include <string>

#include "core/formats/checkpoint/checkpoint_tree.h"
#include "core/formats/model_file.h"

namespace loupe {

// Modules are guessed from the names. description: "a checkpoint (torch.save)".
ModelFile weights_tree(CheckpointWeights weights, const std::string& description);

}  // namespace loupe
