// SPDX-License-Identifier: Apache-2.0
#pragma once
// The rank and the event where values first differ that should be equal on all ranks, and where that comes from.
//
// Should be equal: what all_reduce, broadcast and all_gather leave, and parameters from the time on when they were
// equal once. Inputs, local gradients, shards, random numbers and buffers between broadcasts are meant to differ.

#include <optional>
#include <string>
#include <vector>

#include "core/base/said.h"
#include "core/study/difference.h"
#include "core/study/ranks/rank_values.h"

namespace loupe::session {

struct RankDifference {
    enum class Kind {
        Parameter,   // was equal, and differs
        Result,      // of a collective
        NeverEqual,  // no parameter was equal at any time, and gradients are reduced
    };
    // An event of one of the ranks, with the value that it made.
    struct Spot {
        int rank = -1;
        EventId event = 0;  // 0: the value was there before
        ValueId value = 0;
        SourcePlace place;
    };
    Kind kind = Kind::Parameter;
    std::vector<int> odd;  // ranks that differ from most
    std::string name;      // "module.stem.weight", "all_reduce #3"
    Spot spot;             // on one of them
    Spot other;            // on one of the others
    // Where it comes from, on the same two ranks: the first event on the way that differs.
    Spot cause;
    Spot other_cause;
    Said why;                            // of the cause: "arguments differ: alpha=-0.2, alpha=-0.1"
    std::optional<Difference> elements;  // between the two spots, where they were kept
    Said text;                           // one line
};

// nullopt: nothing differs that should not, as far as is known.
std::optional<RankDifference> first_difference(const RankSet& set, const std::vector<MatchedCollective>& matched,
                                               const RankElements& elements = {});

// A collective that some ranks gave NaN or Inf and the others did not: from there on all have it.
struct RankNotFinite {
    std::size_t collective = 0;  // index of what was matched
    std::vector<int> from;       // ranks that brought it
    int rank = -1;               // the first of them
    EventId event = 0;           // of that rank: where it begins, or what reads first what was given so
    bool is_given = false;
    ValueId value = 0;
    SourcePlace place;
    Said text;
};
std::optional<RankNotFinite> first_not_finite(const RankSet& set, const std::vector<MatchedCollective>& matched);

}  // namespace loupe::session
