// SPDX-License-Identifier: Apache-2.0
#pragma once
// How much longer each operator of a run takes in bfloat16 under autocast, measured: every distinct call (operator,
// sizes, dtypes, other arguments) is made alone and warm in both precisions, forward and backward, as the run comes to
// it.

#include <functional>
#include <vector>

#include "core/autograd/observer.h"
#include "core/record/recording.h"

namespace loupe::session {

struct PrecisionTimes {
    // Seconds of the call by itself as it was recorded, and in bfloat16, and bytes that it asked for in bfloat16 while
    // it ran, results included. Of a backward of several events the first has them.
    struct Pair {
        double plain = 0;
        double lower = 0;
        std::int64_t burst = 0;
        bool is_measured = false;
    };
    std::vector<Pair> events;  // of event i + 1
};

// run: repeats the recorded run once under the observer that it gets. The observer ends it before backward by throwing
// Error (Cancelled), which is not let out. Throws what the run throws.
PrecisionTimes measure_precision(const Recording& recording, const std::function<void(ExecutionObserver&)>& run);

}  // namespace loupe::session
