// SPDX-License-Identifier: Apache-2.0
#pragma once
// One clock for all ranks: each recording counts from its own beginning, by the clock of its own host.

#include <string>
#include <vector>

#include "core/base/said.h"
#include "core/study/ranks/match_collectives.h"

namespace loupe::session {

struct RankClock {
    enum class Source {
        Same,         // the first rank's own clock, which is the common one
        Host,         // both say when they began by the clock of one host
        Completions,  // collectives end on all ranks at once
        Launches,     // as if ranks began each collective together, on the whole: no better is known
        None,         // nothing in common
    };
    Source source = Source::None;
    double offset = 0;       // seconds to add to the rank's times, on the whole
    double uncertainty = 0;  // seconds: half of what the middle half of the collectives differ by

    // Of a clock that does not keep its distance, as that of a recorder which leaves its own work out of the times: the
    // offset at times of the rank's, in their order; between them it changes evenly. Empty: it is one for all.
    struct Anchor {
        double own = 0;
        double offset = 0;
    };
    std::vector<Anchor> anchors = {};

    double common(double own) const;
};

// By place. A median of many collectives, so that single ones that were noticed late do not count; then within what
// must hold: no all_reduce, all_gather, barrier or the like ends before the last rank has come to it.
std::vector<RankClock> align_clocks(const RankSet& set, const std::vector<MatchedCollective>& matched);

// Does it end on no rank before all have come to it?
bool is_synchronizing(std::string_view operation);

// "by the clock of one host", "by 24 collectives, within 40 µs".
Said clock_text(const RankClock& clock);

}  // namespace loupe::session
