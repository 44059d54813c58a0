// SPDX-License-Identifier: Apache-2.0
#pragma once
// Whether a run that was done again came out as before.

#include "core/record/recording.h"

namespace loupe::session {

struct RunComparison {
    EventId count = 0;  // of events that both have: those that were compared
    EventId other = 0;  // the first that differs in operator, place, shapes or statistics; 0: none
};
// end: events from this one on are not compared; 0: all are.
RunComparison compare_runs(const Recording& before, const Recording& now, EventId end = 0);

}  // namespace loupe::session
