// SPDX-License-Identifier: Apache-2.0
#pragma once
// A reader of files or folders of one format.

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/formats/model_file.h"

namespace loupe {

struct FormatReader {
    std::string name;                     // "TorchScript archive"
    std::vector<std::string> extensions;  // ".pt": for file dialogues; files are detected by their contents
    // Is the file of this format? Must not throw for other files. Null: the format has folders only.
    std::function<bool(const Ptr<MappedFile>&)> accepts;
    // Throws Error (File, Unsupported, Cancelled).
    std::function<ModelFile(const Ptr<MappedFile>&)> open;
    // The same of folders; null: the format has none.
    std::function<bool(const std::filesystem::path&)> accepts_folder = nullptr;
    std::function<ModelFile(const std::filesystem::path&)> open_folder = nullptr;
};

}  // namespace loupe
