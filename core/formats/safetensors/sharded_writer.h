// SPDX-License-Identifier: Apache-2.0
#pragma once
// Writes weights into several safetensors files and their index, as huggingface_hub does.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/formats/safetensors/safetensors.h"

namespace loupe {

// "5GB", "200MB", "64KiB", "1000": bytes; units of 1000 but those with an i. Throws Error (Usage) for others, and for
// 0.
std::uint64_t shard_bytes_in(std::string_view text);

// The files that the entries would become: PATH alone when all fit, else PATH-00001-of-0000N.safetensors, ... and
// PATH.safetensors.index.json. In their order; a file takes tensors until one more would make it larger than
// shard_bytes.
std::vector<std::filesystem::path> shard_files(const std::vector<SafetensorsEntry>& entries,
                                               const std::filesystem::path& path, std::uint64_t shard_bytes);

// All files or none. path: ends in ".safetensors". Throws Error (File) as write_safetensors.
void write_sharded_safetensors(const std::vector<SafetensorsEntry>& entries, const SafetensorsMetadata& metadata,
                               const std::filesystem::path& path, std::uint64_t shard_bytes);

}  // namespace loupe
