// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs the graph after the pipeline once on the inputs (and backward), leaving parameters, gradients, buffers and
// random numbers as they were, and says what its fusion groups became.

#include "core/session/query.h"
#include "core/study/fused_groups.h"

namespace loupe::session {

struct FusedGroupsQuery {
    using Answer = FusedGroups;
    static const QueryRecord& record();

    FusedGroupsRequest request = {};
};
auto fields(Like<FusedGroupsQuery> auto& it) { return std::tie(it.request); }

}  // namespace loupe::session
