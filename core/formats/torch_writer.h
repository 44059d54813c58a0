// SPDX-License-Identifier: Apache-2.0
#pragma once
// Archives as PyTorch writes them: storages at multiples of 64 bytes, for torch.jit.load and torch.load.

#include <filesystem>

#include "core/formats/model_file.h"
#include "core/formats/numpy/npy.h"

namespace loupe {

// A model from a TorchScript archive is written with its original code and current attributes; another's code is
// generated from its graphs. No partial file is left. Throws Error (File) when the path cannot be written, Error
// (Unsupported) for a graph without a source form. A path that ends with .ptl gets the lite interpreter's bytecode too;
// one that ends with .ff is a FlatBuffer for the lite interpreter.
void write_torchscript(const ModelFile& model, const std::filesystem::path& path);
// A script module whose methods are graphs: traced, or after passes.
void write_script_module(const nn::Module& module, const FileTarget& target);

// As torch.save(state_dict). Throws Error (File) when the path cannot be written.
void write_state_dict(const NamedTensors& tensors, const std::filesystem::path& path);

}  // namespace loupe
