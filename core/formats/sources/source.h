// SPDX-License-Identifier: Apache-2.0
#pragma once
// Data on disk as data sets: one record per kind of source, opened by a path and options.
//
//     const data::Source digits = data::open_source({"mnist", "/data/mnist", {{"split", "train"}}});
//     data::DataLoader loader(digits.dataset, {.batch_size = 64, .shuffle = true, .num_workers = 2});
//
// A sample is a tuple (input, target), or (input,) where there is no target. Opening reads as little as possible;
// reading a damaged record throws Error (File) that names the file and the record.

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "core/formats/sources/source_record.h"

namespace loupe::data {

// Which source, where, and how. An empty source is guessed from the path.
struct SourceSpec {
    std::string source;
    std::filesystem::path path;
    std::map<std::string, std::string> options = {};
};

// All kinds, in the order in which they are tried on a path.
std::span<const SourceRecord* const> source_records();
// Throws Error (Usage) with the names there are.
const SourceRecord& find_source(std::string_view name);
// Null when no source accepts it.
const SourceRecord* guess_source(const std::filesystem::path& path);
// Throws Error: Usage for a missing path, an unknown source or a wrong option, File when it is damaged.
Source open_source(const SourceSpec& spec);

}  // namespace loupe::data
