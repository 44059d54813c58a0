// SPDX-License-Identifier: Apache-2.0
#pragma once
// How far each rank came: which one stopped, and the collective that it never reached.

#include <optional>
#include <string>
#include <vector>

#include "core/base/said.h"
#include "core/study/ranks/match_collectives.h"

namespace loupe::session {

struct RankEnd {
    enum class State {
        Finished,  // its recording is whole
        Running,   // its recording goes on
        Waiting,   // in a collective, for ranks that have not come to it
        Failed,    // its last event, or a collective, ended in an error
        Stopped,   // it ended before a collective that others came to
    };
    State state = State::Finished;
    EventId last_event = 0;            // 0: none
    std::optional<std::size_t> waits;  // Waiting: in this one of the matched collectives
    std::optional<std::size_t> lacks;  // the first that it takes part in and did not come to, and others did
    std::vector<int> waits_for;        // Waiting: ranks that have not come
    Said text;                         // one line: empty where nothing is wrong
};

// By place.
std::vector<RankEnd> rank_ends(const RankSet& set, const std::vector<MatchedCollective>& matched);

// "finished", "waits in all_reduce #12 for rank 2", "stopped before all_reduce #12".
Said state_text(const RankSet& set, const std::vector<MatchedCollective>& matched, const RankEnd& end);

}  // namespace loupe::session
