// SPDX-License-Identifier: Apache-2.0
#pragma once
// Readers and writers of model files, one per format. Plugins add theirs.

#include <filesystem>
#include <functional>
#include <vector>

#include "core/formats/format_reader.h"
#include "core/formats/format_writer.h"

namespace loupe {

class FormatRegistry {
  public:
    // With the engine's readers.
    static FormatRegistry& instance();

    // Tried before readers that were added earlier.
    void add(FormatReader reader) { readers_.insert(readers_.begin(), std::move(reader)); }
    const std::vector<FormatReader>& readers() const { return readers_; }
    void add(FormatWriter writer) { writers_.push_back(std::move(writer)); }
    const std::vector<FormatWriter>& writers() const { return writers_; }
    // Null when there is none for the path's extension.
    const FormatWriter* writer_for(const std::filesystem::path& path) const;

  private:
    FormatRegistry();

    std::vector<FormatReader> readers_;
    std::vector<FormatWriter> writers_;
};

// Opens a model, a file or a folder, by the first reader that accepts it. Throws Error: Usage when the file is missing,
// File when it is damaged or holds no model (the message names its type), Unsupported when it needs features that the
// engine lacks.
ModelFile open_model(const std::filesystem::path& path);
// Opens a file with a given reader, with the errors of open_model.
ModelFile open_model_with(const std::filesystem::path& path, const std::function<ModelFile()>& open);

}  // namespace loupe
