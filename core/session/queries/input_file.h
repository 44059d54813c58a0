// SPDX-License-Identifier: Apache-2.0
#pragma once
// Inputs of a method of the open model as a file has them: see input_specs_of_file().

#include <filesystem>
#include <string>
#include <vector>

#include "core/model/input_spec.h"
#include "core/session/query.h"

namespace loupe::session {

struct InputFile {
    std::vector<InputSpec> inputs;  // by argument; the file may have fewer
    std::string error;              // not empty: nothing else is valid
};
auto fields(Like<InputFile> auto& it) { return std::tie(it.inputs, it.error); }

struct InputFileQuery {
    using Answer = InputFile;
    static const QueryRecord& record();

    std::filesystem::path file = {};
    std::string method = {};  // empty: the default one
};
auto fields(Like<InputFileQuery> auto& it) { return std::tie(it.file, it.method); }

}  // namespace loupe::session
