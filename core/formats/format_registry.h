// SPDX-License-Identifier: Apache-2.0
#pragma once
// Readers of model files, one per format. Plugins add theirs.

#include <filesystem>
#include <functional>
#include <vector>

#include "core/formats/format_reader.h"

namespace loupe {

class FormatRegistry {
  public:
    // With the engine's readers.
    static FormatRegistry& instance();

    // Tried before readers that were added earlier.
    void add(FormatReader reader) { readers_.insert(readers_.begin(), std::move(reader)); }
    const std::vector<FormatReader>& readers() const { return readers_; }

  private:
    FormatRegistry();

    std::vector<FormatReader> readers_;
};

// Opens a model by the first reader that accepts it. Throws Error: Usage when the file is missing, File when it is
// damaged or holds no model (the message names its type), Unsupported when it needs features that the engine lacks.
ModelFile open_model(const std::filesystem::path& path);
// Opens a file with a given reader, with the errors of open_model.
ModelFile open_model_with(const std::filesystem::path& path, const std::function<ModelFile()>& open);

}  // namespace loupe
