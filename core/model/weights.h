// SPDX-License-Identifier: Apache-2.0
#pragma once
// Files of weights as callers see them, and what loading one came to: values only.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/fields.h"

namespace loupe::session {

// What a checkpoint and the model that it is loaded into disagree in.
struct WeightDifference {
    enum class Kind { Missing, Unexpected, Size };
    Kind kind = Kind::Missing;
    std::string name;
    std::string in_file;  // shape: "10x64"; empty: not there
    std::string in_model;
};
constexpr WeightDifference::Kind last_of(WeightDifference::Kind) { return WeightDifference::Kind::Size; }
auto fields(Like<WeightDifference> auto& it) { return std::tie(it.kind, it.name, it.in_file, it.in_model); }
struct WeightsReport {
    std::string file;
    std::string error;         // PyTorch's text; not empty: nothing was changed
    std::int64_t tensors = 0;  // in the file
    std::int64_t loaded = 0;   // of the model's
    std::vector<WeightDifference> differences;
    bool can_load_rest = false;  // not strictly it would load: no tensor has another size, and some have a place
};
auto fields(Like<WeightsReport> auto& it) {
    return std::tie(it.file, it.error, it.tensors, it.loaded, it.differences, it.can_load_rest);
}

// Is it a file or folder of weights by name and no program? Throws Error (File) for one that cannot be read.
bool is_weights_only(const std::filesystem::path& file);
// Has the file or folder weights by name and no program, as torch.save writes a state_dict? False for one that cannot
// be read.
bool holds_weights(const std::filesystem::path& file);
// The checkpoint of the same stem beside a model source (net.pt, net.safetensors, net.safetensors.index.json), which
// opening it loads when no other is given; empty when there is none. Throws Error (File) for a damaged one.
std::filesystem::path weights_beside(const std::filesystem::path& source);

}  // namespace loupe::session
