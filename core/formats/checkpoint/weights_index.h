// SPDX-License-Identifier: Apache-2.0
#pragma once
// Weights in several files: model.safetensors.index.json or pytorch_model.bin.index.json, as transformers writes them,
// says which file holds which tensor.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/base/file.h"

namespace loupe {

struct WeightsIndex {
    std::map<std::string, std::string> file_of;  // the name of the file, by the tensor's
    std::vector<std::filesystem::path> files;    // they lie beside the index; in the order of their names
};

// By the file's name and contents.
bool is_weights_index(const Ptr<MappedFile>& file);
// Throws Error (File) when it is damaged or names another place. The files may be missing.
WeightsIndex read_weights_index(const Ptr<MappedFile>& file);
// Throws Error (File) when files are missing.
void require_files(const WeightsIndex& index);

// "'a', 'b', 'c' and 4 more"
std::string names_text(const std::vector<std::string>& names);

// The weights of a folder as transformers names them: model.safetensors.index.json, model.safetensors, the only file of
// the kind, pytorch_model.bin.index.json or pytorch_model.bin; empty when there are none.
std::filesystem::path weights_in_folder(const std::filesystem::path& folder);

}  // namespace loupe
