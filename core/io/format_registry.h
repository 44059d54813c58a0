// SPDX-License-Identifier: Apache-2.0
#pragma once
// The model files that can be opened: one reader a format. Plugins add theirs.

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/file.h"
#include "core/ir/compilation_unit.h"
#include "core/ir/source.h"
#include "core/nn/module.h"

namespace loupe {

// What of a TorchScript archive is neither code nor attributes, to write the model again.
struct ArchiveParts {
    std::int64_t version = 0;
    std::vector<IValue> constants;
    std::vector<std::pair<std::string, std::string>> records;  // debug records and extra files, by name
};

struct ModelFile {
    // Owns the functions and types that the module points to.
    Ptr<ir::CompilationUnit> unit;
    nn::ModulePtr module;
    std::string format;  // "TorchScript archive, version 3"
    // A function that was saved without a module: its module is a mere holder.
    bool is_function = false;
    // The program text in the file, by the names that source ranges use.
    std::vector<std::shared_ptr<const ir::Source>> sources;
    std::shared_ptr<const ArchiveParts> archive = nullptr;  // null: not from a TorchScript archive
};

struct FormatReader {
    std::string name;                     // "TorchScript archive"
    std::vector<std::string> extensions;  // ".pt": for file dialogues; what a file is, its contents say
    // Is the file of this format? Must not throw for other files.
    std::function<bool(const Ptr<MappedFile>&)> accepts;
    // Throws Error (File, Unsupported, Cancelled).
    std::function<ModelFile(const Ptr<MappedFile>&)> open;
};

class FormatRegistry {
  public:
    // With the engine's own readers.
    static FormatRegistry& instance();

    // Asked before those that were added earlier.
    void add(FormatReader reader) { readers_.insert(readers_.begin(), std::move(reader)); }
    const std::vector<FormatReader>& readers() const { return readers_; }

  private:
    FormatRegistry();

    std::vector<FormatReader> readers_;
};

// Opens a model by the first reader that accepts it. Throws Error: Usage when the file is missing, File when it is
// damaged or holds no model (the line says what it is), Unsupported when it needs what the engine lacks.
ModelFile open_model(const std::filesystem::path& path);

}  // namespace loupe
