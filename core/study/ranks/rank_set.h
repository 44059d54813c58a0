// SPDX-License-Identifier: Apache-2.0
#pragma once
// The recordings of the ranks of one program, joined: which rank each is, and what does not fit together. Everything in
// this folder is a question about such a set: functions of recordings, which need no process and no model.

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "core/base/said.h"
#include "core/record/recording.h"

namespace loupe::session {

// A recording, and what its file's name says of it.
struct RankSource {
    std::shared_ptr<const Recording> recording;
    std::string name;  // of the file, to be shown
    int named = -1;    // the rank that the name says; -1: none
};

struct RankRun {
    RankFacts facts;  // as far as they are known; of older recordings the rank alone
    std::shared_ptr<const Recording> recording;
    std::vector<Collective> collectives;  // in the order of their launches
    bool has_rows = false;                // false: derived from its events, without times of ends
    std::string name;

    int rank() const { return facts.rank; }
};

struct RankSet {
    std::vector<RankRun> ranks;  // in the order of their numbers, each number once
    int world_size = 0;          // greatest that one of them says; at least as many as there are
    std::vector<int> missing;    // ranks of which there is no recording
    // Lines: what does not fit. A set with problems can be looked at all the same.
    std::vector<Said> problems;

    // The place of a rank among `ranks`; -1: it is not there.
    int place_of(int rank) const;
};

// Sources without facts get the rank of their name, else the first that is free. Throws Error (Usage) for two
// recordings of one rank.
RankSet join_ranks(const std::vector<RankSource>& sources);

// "0, 2 and 3"; "rank 1", "ranks 0, 2 and 3" with the word; of more than six "ranks 0, 1, 2 and 13 others".
std::string numbers_text(const std::vector<int>& numbers);
Said ranks_text(const std::vector<int>& ranks);

}  // namespace loupe::session
