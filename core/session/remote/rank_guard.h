// SPDX-License-Identifier: Apache-2.0
#pragma once
// A rank runs in a child of the process that a launcher started: the parent waits, and says how the rank ended and what
// it did then, in one line on standard error, which launchers pass on. The line is read by those who start ranks: the
// window (rank_process.h) and the command line. Rank 0's parent also carries what all ranks say (rank_hub.h).

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/record/running_place.h"

namespace loupe::session {

struct RankDeath {
    int rank = 0;
    int signal = 0;       // that ended it; 0: it ended by itself
    int exit_status = 0;  // then, not 0
    int gone = -1;        // a rank that had ended before, which it waited for; -1: none
    RunningPlace::Facts place = {};
    std::string last_collective = {};  // "all_reduce SUM float32 [4] (number 3, train.py:12)"; empty: none
};

// "rank 1 was ended by signal 9 (Killed) in aten::mm at event 17 (/a/train.py:9); its last collective: all_reduce ...".
std::string line_of(const RankDeath& death);
// nullopt: it is another line.
std::optional<RankDeath> read_rank_death(std::string_view line);

// Forks, before the process has other threads: returns in the child, where recorders and collectives note what they do
// for the parent. The parent waits, says how the child ended unless that was well, and ends in the same way. beside:
// what the parent does meanwhile, on a thread of its own, and before it ends; may be empty. Throws Error (Run) where it
// cannot be done because there is no parent.
void guard_rank(int rank, const std::function<void()>& beside = {});

}  // namespace loupe::session
