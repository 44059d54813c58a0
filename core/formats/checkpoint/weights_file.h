// SPDX-License-Identifier: Apache-2.0
#pragma once
// Files and folders of weights by name without a program: checkpoints of torch.save and torch.distributed.checkpoint,
// safetensors, also in several files, arrays of NumPy.

#include <filesystem>

#include "core/formats/checkpoint/checkpoint_tree.h"

namespace loupe {

// Does the folder hold such weights? False for a path that is no folder.
bool is_weights_folder(const std::filesystem::path& path);
// The files that are read for the weights of a path, itself first.
std::vector<std::filesystem::path> files_of_weights(const std::filesystem::path& path);

// By the contents, an .npz by its name. Throws Error as the readers.
CheckpointWeights read_weights_file(const std::filesystem::path& path);
// As tensors alone; those of eight-bit floats by their numbers. Throws Error (Unsupported) for types that no tensor
// holds.
NamedTensors read_weights(const std::filesystem::path& path);
NamedTensors tensors_of(const CheckpointWeights& weights);

}  // namespace loupe
