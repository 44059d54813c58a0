// SPDX-License-Identifier: Apache-2.0
#pragma once
// How the files of the ranks of one run are called: step.loupe is rank 0's, step.rank1.loupe rank 1's.

#include <filesystem>
#include <string>

namespace loupe::session {

struct RankFileName {
    std::string base;       // "step" of "step.rank1.loupe"
    std::string extension;  // ".loupe"
    int rank = 0;           // that the name says; without one 0
};
RankFileName read_rank_file_name(const std::filesystem::path& file);

// Where a rank's file lies beside that of rank 0: "step.rank1.loupe" of "step.loupe" or "step.rank0.loupe". Rank 0's is
// the file itself.
std::filesystem::path rank_file(const std::filesystem::path& file, int rank);

}  // namespace loupe::session
