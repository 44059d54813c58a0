// SPDX-License-Identifier: Apache-2.0
#pragma once
// Data to train on, named by a path and options: which sources there are, and what one holds. Values only.

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/base/fields.h"

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

// What a model is trained on.
struct DataSpec {
    std::string path;    // a file or folder that a source reads; empty: made up, to try things out
    std::string source;  // the name of the source; empty: guessed from the path
    std::map<std::string, std::string> options;  // of the source
    // Of data that is made up: the shape of one example, and how many classes (0: the target is a number).
    std::vector<std::int64_t> shape;
    std::string dtype = "float32";
    int classes = 10;
    std::int64_t count = 1024;
};
auto fields(Like<DataSpec> auto& it) {
    return std::tie(it.path, it.source, it.options, it.shape, it.dtype, it.classes, it.count);
}
struct DataSummary {
    std::string source;       // the one that was guessed
    std::string description;  // "60000 images of 1x28x28, 10 classes"
    std::int64_t samples = 0;
    std::vector<std::string> classes;  // names of target values; empty when targets are none
    std::vector<std::string> sample;   // of the first: "float32 1x28x28", "int 5"
    std::vector<std::string> notes;    // records that are missing
    std::string error;                 // of a session's request: nothing else is valid
};
auto fields(Like<DataSummary> auto& it) {
    return std::tie(it.source, it.description, it.samples, it.classes, it.sample, it.notes, it.error);
}
// Opens the source and reads one sample. Throws Error: Usage for a missing path or a wrong option, File when it is
// damaged. What makes the data sets themselves: core/formats/sources/source.h.
DataSummary describe_data(const DataSpec& spec);

}  // namespace loupe::session
