// SPDX-License-Identifier: Apache-2.0
#pragma once
// Writes safetensors files, byte for byte as the library does.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/base/file.h"
#include "core/formats/safetensors/safetensors.h"

namespace loupe {

// A tensor to be written: any strides, on any device. Throws Error (Unsupported) for a sparse one, and for a dtype that
// files have no type for.
SafetensorsEntry safetensors_entry(const std::string& name, const Tensor& tensor);

// Bytes of its elements in a file.
std::uint64_t safetensors_bytes(const SafetensorsEntry& entry);

// The entries in any order. No partial file is left. Throws Error (File) when the path cannot be written or two have
// one name, Error (Unsupported) for names that are no UTF-8.
void write_safetensors(const std::vector<SafetensorsEntry>& entries, const SafetensorsMetadata& metadata,
                       const FileTarget& target);
// The file, to be committed by the caller.
void write_safetensors(const std::vector<SafetensorsEntry>& entries, const SafetensorsMetadata& metadata,
                       AtomicFile& file);

// The bytes of its storage that a dense tensor's elements lie in.
struct MemoryArea {
    std::uint64_t storage = 0;  // its id
    std::uint64_t storage_bytes = 0;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    bool is_complete = false;  // all of the storage
};
MemoryArea memory_area(const Tensor& tensor);

// The names of tensors that share memory and the one that is written for them, as safetensors.torch.save_model
// chooses: the first by name of those that cover their storage. Overlapping tensors of which none does are not listed:
// each is written.
std::vector<std::pair<std::string, std::string>> shared_names(const NamedTensors& tensors);

}  // namespace loupe
