// SPDX-License-Identifier: Apache-2.0
#pragma once
// The sizes of the values of a method's graph on the inputs as they are, before it runs: see study/graph_sizes.h.

#include <string>

#include "core/session/query.h"
#include "core/study/graph_sizes.h"

namespace loupe::session {

struct GraphSizesQuery {
    using Answer = GraphSizes;
    static const QueryRecord& record();

    std::string method = {};
};
auto fields(Like<GraphSizesQuery> auto& it) { return std::tie(it.method); }

}  // namespace loupe::session
