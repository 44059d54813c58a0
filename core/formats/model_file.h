// SPDX-License-Identifier: Apache-2.0
#pragma once
// The contents of a model file.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/file_sandbox.h"
#include "core/formats/eager_model.h"
#include "core/ir/compilation_unit.h"
#include "core/ir/source.h"
#include "core/nn/module.h"

namespace loupe::text {
struct TextParts;
}

namespace loupe {

// Parts of a TorchScript archive beside code and attributes, to write the model again.
struct ArchiveParts {
    std::int64_t version = 0;
    std::vector<IValue> constants;
    std::vector<std::pair<std::string, std::string>> records;  // debug records and extra files, by name
};

struct ModelFile {
    // Owns the functions and types that the module points to.
    Ptr<ir::CompilationUnit> unit;
    Ptr<RefCounted> owner = nullptr;  // other objects that its functions need: a program that they call
    nn::ModulePtr module;             // null: a source without a model, which has run
    Ptr<EagerModel> eager = nullptr;  // null: its methods are script
    std::string format;               // "TorchScript archive, version 3"
    // A function that was saved without a module: its module only holds it.
    bool is_function = false;
    // The program text in the file, by the names that source ranges use.
    std::vector<std::shared_ptr<const ir::Source>> sources;
    std::shared_ptr<const ArchiveParts> archive = nullptr;  // null: not from a TorchScript archive
    std::vector<Constructor> constructors = {};             // the model classes of a source, the likeliest first
    std::string built_as = {};      // the expression that made the model where nothing said it: "Net(width=64)"
    std::string guessed_from = {};  // where its arguments are from, when they were guessed: "README.md"
    // The inputs that the file holds beside the model, one an argument of forward.
    std::optional<std::vector<IValue>> examples = {};
    // The same of methods with inputs of their own.
    std::map<std::string, std::vector<IValue>, std::less<>> method_examples = {};
    Ptr<FileSandbox> files = nullptr;  // of a source: its file permissions
    bool is_built_in = false;          // its sources are the engine's own, for the weights of the file
    std::string cannot_run = {};       // of one without a program: why
    // Of a file that holds its own tokenizer: makes it, null where there is none. Throws Error (File, Unsupported).
    std::function<std::shared_ptr<const text::TextParts>()> text = nullptr;
};

}  // namespace loupe
