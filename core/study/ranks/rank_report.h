// SPDX-License-Identifier: Apache-2.0
#pragma once
// All that is to be said of the ranks of a run.

#include <optional>
#include <string>
#include <vector>

#include "core/base/said.h"
#include "core/study/ranks/rank_clocks.h"
#include "core/study/ranks/rank_difference.h"
#include "core/study/ranks/rank_ends.h"
#include "core/study/ranks/rank_waits.h"

namespace loupe::session {

struct RankReport {
    RankSet set;
    std::vector<MatchedCollective> matched;
    std::vector<RankClock> clocks;       // by place
    std::vector<CollectiveTimes> times;  // of `matched`
    std::vector<RankWaits> waits;        // by place
    std::vector<RankEnd> ends;           // by place
    std::optional<CollectiveMismatch> mismatch;
    std::optional<RankDifference> difference;
    std::optional<RankNotFinite> not_finite;

    // What is wrong: each a line, the gravest first, with the place to go to.
    struct Finding {
        Said title;  // "First mismatch"
        Said text;
        RankDifference::Spot spot;
        RankDifference::Spot other;  // rank -1: none
    };
    std::vector<Finding> findings;
    bool is_wrong() const { return !findings.empty() || !set.problems.empty(); }
};

// Throws Error (Cancelled). Takes time with the number of events; elements may be empty.
RankReport study_ranks(RankSet set, const RankElements& elements = {});

}  // namespace loupe::session
