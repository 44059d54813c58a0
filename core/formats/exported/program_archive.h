// SPDX-License-Identifier: Apache-2.0
#pragma once
// The parts of a .pt2 archive, in the layouts of PyTorch 2.5 to 2.15: the program's JSON, weights and constants by
// name, the inputs it was exported with.

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/file.h"
#include "core/formats/exported/program_json.h"
#include "core/ir/source.h"
#include "core/value/ivalue.h"

namespace loupe::exported {

struct ProgramArchive {
    std::string model;                // the name of the program that is read: "model"
    std::vector<std::string> models;  // the names of all programs in the archive
    JsonDocument document;
    const JsonValue& program() const { return document.root(); }
    // By the names of the state_dict, in the file's order.
    std::vector<std::pair<std::string, Tensor>> weights;
    // Buffers that are not saved and lifted constants; None for objects that are no tensors.
    std::vector<std::pair<std::string, IValue>> constants;
    // (args, kwargs); None when the file has none that hold plain values only.
    IValue sample_inputs;
    std::size_t without_values = 0;  // tensors that the file only describes
    std::vector<std::string>
        notes;  // what else the archive holds: "compiled code in data/aotinductor is shown and not run"
    std::vector<std::shared_ptr<const ir::Source>> compiled_sources;
};

// name: of the program that is read; empty: the one named "model", else the first. Throws Error (File, Unsupported).
ProgramArchive read_program_archive(const Ptr<MappedFile>& file, std::string_view name = {});
// The JSON of the one that is read without a name.
std::string program_json_text(const Ptr<MappedFile>& file);
// The names of all programs, in the archive's order.
std::vector<std::string> programs_in(const Ptr<MappedFile>& file);

}  // namespace loupe::exported
