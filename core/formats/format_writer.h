// SPDX-License-Identifier: Apache-2.0
#pragma once
// A writer of models as files of one format, chosen by the file's extension.

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/file.h"
#include "core/formats/model_file.h"
#include "core/ir/graph.h"

namespace loupe {

// What is written.
struct WriteRequest {
    nn::ModulePtr module;
    // The method to write: its first input is the module, unless it was frozen.
    Ptr<ir::Graph> graph;
    // One an argument of the method; empty when there are none.
    std::vector<IValue> examples = {};
    // Of the arguments; empty: as the graph's inputs.
    std::vector<std::string> names = {};
    std::size_t keywords = 0;  // the last arguments that are given by name
    // The writer's own options by name, as they were given: {"opset", "17"}.
    std::vector<std::pair<std::string, std::string>> options = {};
    // What the model's file holds beside it, for the writer of the same format: ModelFile::owner.
    Ptr<const RefCounted> parts = nullptr;
    bool is_as_read = false;  // the graph is the file's
    bool is_traced = false;   // the graph is a trace's, and has inputs for those arguments only that hold tensors
};

// Where it is written.
struct WrittenFiles {
    WrittenFiles(const std::filesystem::path& path)
        : file(path),
          beside([folder = path.parent_path()](const std::string& name) { return FileTarget(folder / name); }) {}
    WrittenFiles(FileTarget target, std::function<FileTarget(const std::string& name)> others)
        : file(std::move(target)), beside(std::move(others)) {}

    FileTarget file;
    // A further file in the same folder. Throws Error where there can be none.
    std::function<FileTarget(const std::string& name)> beside;
};

struct FormatWriter {
    std::string name;                     // "ONNX"
    std::vector<std::string> extensions;  // ".onnx"
    // Leaves nothing partial. Throws Error: File when the path cannot be written, Unsupported for what the format
    // lacks, Usage for an option that it does not have.
    std::function<void(const WriteRequest& request, const WrittenFiles& to)> write;
};

}  // namespace loupe
