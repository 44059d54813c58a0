// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the passes of a pipeline do to the numbers: each graph is run on the same inputs and held against the first.

#include <string>
#include <vector>

#include "core/base/fields.h"
#include "core/model/pass_trace.h"

namespace loupe::session {

struct PassCheck {
    std::string pass;
    std::size_t step = 0;  // in PassTrace::steps
    double max_abs = 0;    // over all outputs; infinity where one is NaN and the other is not
    double max_rel = 0;
    std::string error;  // the graph could not be run, or gives other shapes
};
auto fields(Like<PassCheck> auto& it) { return std::tie(it.pass, it.step, it.max_abs, it.max_rel, it.error); }
struct PassChecks {
    std::vector<PassCheck> steps;  // of the passes that changed the graph
    std::string error;             // nothing could be checked
};
auto fields(Like<PassChecks> auto& it) { return std::tie(it.steps, it.error); }

}  // namespace loupe::session
