// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the statements that have run gave names, in each function of a model source under way, the innermost first.
// Empty when nothing is parked in one, and no run failed there.

#include <vector>

#include "core/record/frame_values.h"
#include "core/session/query.h"

namespace loupe::session {

struct LineValuesQuery {
    using Answer = std::vector<FrameValues>;
    static const QueryRecord& record();
};
auto fields(Like<LineValuesQuery> auto&) { return std::tie(); }

}  // namespace loupe::session
