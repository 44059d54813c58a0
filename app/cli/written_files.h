// SPDX-License-Identifier: Apache-2.0
#pragma once
// Checks of the output files of a command, before it starts.

#include <string>
#include <vector>

namespace loupe::cli {

struct NamedFile {
    const char* option;  // "--outputs"
    std::string path;    // empty: not given
};

// Throws Error (Usage) when an output file is also an input of the command or another output, also under another
// name.
void check_written_files(const std::vector<NamedFile>& written, const std::vector<NamedFile>& read);
// Throws Error (Usage) for a name that does not end in .npz, unless there is a device or FIFO of that name.
void check_npz_name(const NamedFile& file);

}  // namespace loupe::cli
