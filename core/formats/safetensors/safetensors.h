// SPDX-License-Identifier: Apache-2.0
#pragma once
// Weights as the library safetensors writes them: a header of JSON with name, dtype, shape and place of each tensor,
// then their elements, row-major (https://github.com/huggingface/safetensors, "Format").

#include <filesystem>

#include "core/formats/numpy/npy.h"

namespace loupe {

// By name, as the header has them in order. Throws Error (Usage) when the file is missing, Error (File) when it is
// damaged, Error (Unsupported) for a dtype that the engine lacks.
NamedTensors read_safetensors(const std::filesystem::path& path);

}  // namespace loupe
