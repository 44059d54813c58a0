// SPDX-License-Identifier: Apache-2.0
#pragma once
// Weights in several files: NAME.safetensors.index.json says which file holds which tensor.

#include "core/base/file.h"
#include "core/formats/numpy/npy.h"

namespace loupe {

// By the file's name and contents.
bool is_sharded_index(const Ptr<MappedFile>& file);
// The tensors of all files, which lie beside the index, in its order. Throws Error (File, Unsupported) as
// read_safetensors, Error (Usage) when a file is missing.
NamedTensors read_sharded_safetensors(const Ptr<MappedFile>& index);

}  // namespace loupe
