// SPDX-License-Identifier: Apache-2.0
#pragma once
// Data to train on, named by a path and options: which sources there are, and what one holds. Values only.

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace loupe::session {

struct DataOption {
    std::string name;          // "resize"
    std::string form;          // "HxW or the shorter edge"; choices have bars between: "train|test"
    std::string default_text;  // empty: not set
    std::string what;          // one line
};
struct DataSourceInfo {
    std::string name;  // "mnist"
    std::string what;  // one line
    std::vector<DataOption> options;
};
std::vector<DataSourceInfo> data_sources();
// The name of the source that knows what the file or folder is; empty when none does.
std::string guess_data_source(const std::filesystem::path& path);

struct DataSourceSpec {
    std::string source;  // empty: guessed
    std::string path;
    std::map<std::string, std::string> options;
};
struct DataSummary {
    std::string source;                // the one that was guessed
    std::string description;           // "60000 images of 1x28x28, 10 classes"
    std::int64_t samples = 0;
    std::vector<std::string> classes;  // names of target values; empty when targets are none
    std::vector<std::string> sample;   // of the first: "float32 1x28x28", "int 5"
    std::vector<std::string> notes;    // records that are missing
};
// Opens the source and reads one sample. Throws Error: Usage for a missing path or a wrong option, File when it is damaged.
// What makes the data sets themselves: core/io/sources/source.h.
DataSummary describe_data(const DataSourceSpec& spec);

}  // namespace loupe::session
