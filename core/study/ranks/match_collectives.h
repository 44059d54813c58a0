// SPDX-License-Identifier: Apache-2.0
#pragma once
// Collectives of several ranks, each beside its own on the other ranks, and the first one that does not match.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/said.h"
#include "core/study/ranks/rank_set.h"

namespace loupe::session {

// One collective, or one message, on all the ranks that take part.
struct MatchedCollective {
    std::string group;
    std::uint64_t sequence = 0;
    bool is_message = false;
    // By place in RankSet::ranks: the index among its collectives; -1: it has none, as it does not take part or did not
    // come to it.
    std::vector<int> index;
    std::vector<int> members;  // ranks that take part, as far as the recordings say

    const Collective* on(const RankSet& set, std::size_t place) const {
        return index[place] < 0 ? nullptr : &set.ranks[place].collectives[static_cast<std::size_t>(index[place])];
    }
    // Of the first rank that has it.
    const Collective& first(const RankSet& set) const;
    // "all_reduce #12", "all_reduce #3 of group 1", "message #2 from rank 0 to 1".
    Said name(const RankSet& set) const;
};

// By group and sequence, in an order that is every rank's own.
std::vector<MatchedCollective> match_collectives(const RankSet& set);

struct CollectiveMismatch {
    enum class Kind { Missing, Operation, Reduction, Dtype, Shapes, Root, Members };
    Kind kind = Kind::Missing;
    std::size_t collective = 0;  // index of what was matched
    std::vector<int> odd;        // ranks that differ from most; of Missing those that lack it
    int rank = -1;               // one of `odd`, and one of the others, to go to
    int other = -1;
    Said text;  // one line with the source lines of both
};

// nullopt: all match, as far as every rank came. A rank whose recording goes on is missed in none.
std::optional<CollectiveMismatch> first_mismatch(const RankSet& set, const std::vector<MatchedCollective>& matched);

// "net.py:33"; empty without a file.
std::string place_text(const SourcePlace& place);

}  // namespace loupe::session
