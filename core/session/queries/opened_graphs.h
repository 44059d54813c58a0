// SPDX-License-Identifier: Apache-2.0
#pragma once
// The graphs of the run that is shown and of a pinned reference, as texts that can be held against each other.

#include "core/model/opened_graph.h"
#include "core/session/query.h"

namespace loupe::session {

struct OpenedGraphsQuery {
    using Answer = OpenedGraphs;
    static const QueryRecord& record();

    int reference = 0;
};
auto fields(Like<OpenedGraphsQuery> auto& it) { return std::tie(it.reference); }

}  // namespace loupe::session
