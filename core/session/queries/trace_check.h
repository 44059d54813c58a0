// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs a trace and the source it is of on other inputs, and says what differs.

#include "core/session/query.h"
#include "core/study/compilation.h"

namespace loupe::session {

struct TraceCheckQuery {
    using Answer = TraceCheck;
    static const QueryRecord& record();
};
auto fields(Like<TraceCheckQuery> auto&) { return std::tie(); }

}  // namespace loupe::session
