// SPDX-License-Identifier: Apache-2.0
#pragma once
// A pipeline step by step.

#include <string>

#include "core/model/pass_trace.h"
#include "core/session/query.h"

namespace loupe::session {

struct PassTraceQuery {
    using Answer = PassTrace;
    static const QueryRecord& record();

    std::string pipeline = {};
    std::string method = {};
};
auto fields(Like<PassTraceQuery> auto& it) { return std::tie(it.pipeline, it.method); }

}  // namespace loupe::session
