// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where a difference between two ranks comes from: back along the events that made the two values, as long as these do
// the same.

#include <string>

#include "core/base/said.h"
#include "core/study/ranks/rank_values.h"

namespace loupe::session {

struct RankCause {
    RankValue odd;  // the values of the last step back: made by the events where it begins
    RankValue most;
    Said why;  // "arguments differ: alpha=-0.2 on rank 2, alpha=-0.1 on rank 0"
};

// Of two values that differ, and should not.
RankCause find_cause(const RankSet& set, const RankElements& elements, RankValue odd, RankValue most);

}  // namespace loupe::session
