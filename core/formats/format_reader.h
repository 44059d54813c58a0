// SPDX-License-Identifier: Apache-2.0
#pragma once
// How files of one format are read.

#include <functional>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/formats/model_file.h"

namespace loupe {

struct FormatReader {
    std::string name;                     // "TorchScript archive"
    std::vector<std::string> extensions;  // ".pt": for file dialogues; what a file is, its contents say
    // Is the file of this format? Must not throw for other files.
    std::function<bool(const Ptr<MappedFile>&)> accepts;
    // Throws Error (File, Unsupported, Cancelled).
    std::function<ModelFile(const Ptr<MappedFile>&)> open;
};

}  // namespace loupe
