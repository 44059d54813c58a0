// SPDX-License-Identifier: Apache-2.0
#pragma once
// A reader of files of one format.

#include <functional>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/formats/model_file.h"

namespace loupe {

struct FormatReader {
    std::string name;                     // "TorchScript archive"
    std::vector<std::string> extensions;  // ".pt": for file dialogues; files are detected by their contents
    // Is the file of this format? Must not throw for other files.
    std::function<bool(const Ptr<MappedFile>&)> accepts;
    // Throws Error (File, Unsupported, Cancelled).
    std::function<ModelFile(const Ptr<MappedFile>&)> open;
};

}  // namespace loupe
