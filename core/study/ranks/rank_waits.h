// SPDX-License-Identifier: Apache-2.0
#pragma once
// Who came late to a collective, and how long the others waited.

#include <cstddef>
#include <optional>
#include <vector>

#include "core/study/ranks/rank_clocks.h"

namespace loupe::session {

// One collective in the common time, seconds since the first rank's run began.
struct CollectiveTimes {
    struct OnRank {
        double arrived = 0;  // when it was launched
        double ended = 0;    // NaN: not known
        // How long the program did nothing but wait for ranks that had not come yet. Where it is not known when it
        // waited, the time between its launch and the last one's: at most so long.
        double waited = 0;
        // Beyond: the transfer itself. 0 where it is not known.
        double transferred = 0;
    };
    std::vector<std::optional<OnRank>> ranks;  // by place; nullopt: it does not take part, or did not come to it
    int last = -1;                             // place of the rank that came last; -1: only one is there
    double late_by = 0;                        // behind the one before it
    double spread = 0;                         // between the first and the last
    double waited = 0;                         // of all ranks together
    bool is_at_most = false;                   // some of the waits are
};

// Of one rank over all collectives.
struct RankWaits {
    double waited = 0;       // for others
    double made_wait = 0;    // the others, while it came last
    double transferred = 0;  // while all were there
    int times_last = 0;
    int collectives = 0;
    bool is_at_most = false;
};

// In the order of `matched`. Messages have times too, but wait for one rank only.
std::vector<CollectiveTimes> measure_collectives(const RankSet& set, const std::vector<MatchedCollective>& matched,
                                                 const std::vector<RankClock>& clocks);
// By place.
std::vector<RankWaits> sum_waits(const RankSet& set, const std::vector<CollectiveTimes>& times);

}  // namespace loupe::session
