// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where a rank is parked among the others of its program, and that it is to stop where another one is.

#include <string>

#include "core/session/query.h"
#include "core/session/rank_meeting.h"

namespace loupe::session {

struct MetRank {
    std::string error;                           // not empty: nothing else is valid
    RankPlace place;                             // where this one is parked
    RankStanding standing = RankStanding::Here;  // to the place that was asked for
};
auto fields(Like<MetRank> auto& it) { return std::tie(it.error, it.place, it.standing); }

struct MeetRankQuery {
    using Answer = MetRank;
    static const QueryRecord& record();

    // Nothing changes but for one that is behind: when it goes on it stops there, or before its next collective.
    // Without a name only its own place is asked for.
    RankPlace place = {};
    std::string whom = {};  // "rank 2"
};
auto fields(Like<MeetRankQuery> auto& it) { return std::tie(it.place, it.whom); }

}  // namespace loupe::session
