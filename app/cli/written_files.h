// SPDX-License-Identifier: Apache-2.0
#pragma once
// Checks of the output files of a command, before it starts.

#include <string>
#include <vector>

namespace loupe::cli {

struct RunArguments;

struct NamedFile {
    const char* option;  // "--outputs"
    std::string path;    // empty: not given
};

// What a command with these options reads: those that they name, and those that are found beside the model.
std::vector<NamedFile> read_files(const RunArguments& options);
// Throws Error (Usage) when a file would be written over one that the command reads, or over another that it writes,
// whatever their names are.
void check_written_files(const std::vector<NamedFile>& written, const std::vector<NamedFile>& read);
// Throws Error (Usage) for a file that the source NAME.py would take from then on for its weights (NAME.npz beside it)
// or for its inputs (NAME.in.npz).
void check_not_taken_by_source(const NamedFile& file, const std::string& model);
// Throws Error (File) when a file cannot be written: no such folder, no permission. Nothing is created.
void check_can_be_written(const NamedFile& file);
// Throws Error (Usage) for a name that does not end in .npz, unless there is a device or FIFO of that name.
void check_npz_name(const NamedFile& file);

}  // namespace loupe::cli
