// SPDX-License-Identifier: Apache-2.0
#pragma once
// Files that no honest program writes.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace loupe::fuzz {

// A name that says how to make the case again, and the file's bytes.
using Visit = std::function<void(const std::string& name, const std::string& extension, const std::string& bytes)>;

struct Effort {
    std::size_t truncations = 200;  // a file
    std::size_t flips = 2000;
    std::size_t inner_flips = 2000;  // in an archive's entries, with sizes and checksums made right again
    std::size_t extremes = 200;
    std::size_t changes = 2000;  // of JSON, of protobuf's messages or of GGUF's lists, one to three each
};

// The file cut short, with bits turned, with 32-bit numbers at extremes. Seeds are fixed.
void visit_damaged(const std::string& name, const std::string& extension, const std::string& bytes,
                   const Effort& effort, const Visit& visit);
// Values of the JSON that a file is or holds, exchanged, taken away, made of other types. Another seed, other changes.
void visit_json_changes(const std::string& name, const std::string& extension, const std::string& bytes,
                        std::size_t count, const Visit& visit, std::uint64_t seed = 0);
// Of a protobuf message, fields at any depth.
void visit_message_changes(const std::string& name, const std::string& extension, const std::string& bytes,
                           std::size_t count, const Visit& visit, std::uint64_t seed = 0);
// Of a sound GGUF file, its metadata and its table of tensors.
void visit_gguf_changes(const std::string& name, const std::string& extension, const std::string& bytes,
                        std::size_t count, const Visit& visit, std::uint64_t seed = 0);
// Made by hand: pickles that call, nest and loop; bombs; classes that contain themselves; code without end.
void visit_hostile(const Visit& visit);
void visit_hostile_weights(const Visit& visit);   // .safetensors, and indices of several
void visit_hostile_programs(const Visit& visit);  // .pt2
void visit_hostile_onnx(const Visit& visit);
void visit_hostile_gguf(const Visit& visit);
// The next cases are forms of this file of a folder.
using ChooseFile = std::function<void(const std::filesystem::path& file)>;
// Of folders of models: fixtures is the folder that holds them. step: of the settings that are gone through, with all
// values that each gets, every so many.
void visit_hostile_folders(const std::filesystem::path& fixtures, std::size_t step, const ChooseFile& choose,
                           const Visit& visit);
void visit_hostile_profiler(const Visit& visit);  // traces and memory snapshots

}  // namespace loupe::fuzz
