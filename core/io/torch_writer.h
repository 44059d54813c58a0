// SPDX-License-Identifier: Apache-2.0
#pragma once
// Archives as PyTorch writes them: storages at multiples of 64 bytes, for torch.jit.load and torch.load.

#include <filesystem>

#include "core/io/format_registry.h"
#include "core/io/npy.h"

namespace loupe {

// A model that came from a TorchScript archive: its code as it was, its attributes as they are now. Nothing partial is
// left. Throws Error (File) when the place cannot be written, Error (Unsupported) for a model without such code.
void write_torchscript(const ModelFile& model, const std::filesystem::path& path);

// What torch.save(state_dict) writes. Throws Error (File) when the place cannot be written.
void write_state_dict(const NamedTensors& tensors, const std::filesystem::path& path);

}  // namespace loupe
