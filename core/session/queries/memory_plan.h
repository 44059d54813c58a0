// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs the graph as planned programs and tells how memory is laid out, and where the graph breaks.

#include <string>

#include "core/session/query.h"
#include "core/study/memory_plan.h"

namespace loupe::session {

struct MemoryPlanQuery {
    using Answer = MemoryPlanReport;
    static const QueryRecord& record();

    std::string pipeline = {};
    std::string method = {};
};
auto fields(Like<MemoryPlanQuery> auto& it) { return std::tie(it.pipeline, it.method); }

}  // namespace loupe::session
