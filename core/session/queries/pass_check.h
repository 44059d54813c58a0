// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs the graph after every pass on the inputs and holds the outputs against the first graph's.

#include <string>

#include "core/session/query.h"
#include "core/study/pass_check.h"

namespace loupe::session {

struct PassCheckQuery {
    using Answer = PassChecks;
    static const QueryRecord& record();

    std::string pipeline = {};
    std::string method = {};
};
auto fields(Like<PassCheckQuery> auto& it) { return std::tie(it.pipeline, it.method); }

}  // namespace loupe::session
