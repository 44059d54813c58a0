// SPDX-License-Identifier: Apache-2.0
#pragma once
// Recordings of the ranks of one run, as they lie beside each other: run.loupe is rank 0's, run.rank1.loupe rank 1's.

#include <filesystem>
#include <vector>

namespace loupe::session {

struct RankFile {
    std::filesystem::path path;
    int named = 0;  // the rank that the name says; without one 0
};

// The file and its siblings by name, in the order of their ranks; one alone has no siblings. Any file: it need not be a
// recording. Never throws.
std::vector<RankFile> rank_files(const std::filesystem::path& file);

// Does its name end as those of recordings do?
bool is_recording_name(const std::filesystem::path& file);

}  // namespace loupe::session
