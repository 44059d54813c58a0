// SPDX-License-Identifier: Apache-2.0
#pragma once
// Weights as the library safetensors writes them: a header of JSON with name, dtype, shape and place of each tensor,
// then their elements, row-major (https://github.com/huggingface/safetensors, "Format").

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/file.h"
#include "core/formats/numpy/npy.h"

namespace loupe {

struct SafetensorsEntry {
    std::string name{};
    // Views the file where its elements are aligned. Of a type that the engine lacks: its bytes, as uint8, in one
    // dimension.
    Tensor tensor{};
    std::string type{};                 // "F32"
    std::vector<std::int64_t> shape{};  // in the file
    bool is_foreign = false;            // the engine lacks the type
};

using SafetensorsMetadata = std::vector<std::pair<std::string, std::string>>;

struct SafetensorsFile {
    std::vector<SafetensorsEntry> entries;  // in the order of their places
    SafetensorsMetadata metadata;           // of "__metadata__"
};

// Do the bytes start like such a file?
bool looks_like_safetensors(std::span<const std::byte> bytes);

// Throws Error (File) when it is damaged.
SafetensorsFile read_safetensors(const Ptr<MappedFile>& file);
// Throws Error (Usage) when the file is missing.
SafetensorsFile read_safetensors(const std::filesystem::path& path);

// The tensor. Throws Error (Unsupported) for types that no tensor holds: of six and four bits.
Tensor numbers_of(const SafetensorsEntry& entry);

}  // namespace loupe
