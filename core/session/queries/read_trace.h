// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reads a trace of PyTorch's profiler, beside the model that is open (see core/formats/profiler/trace_reader.h), or
// makes one of the run that is shown.

#include <memory>
#include <string>

#include "core/formats/profiler/profile_trace.h"
#include "core/session/query.h"
#include "core/study/profile_flame.h"
#include "core/study/profile_statistics.h"

namespace loupe::session {

// A trace and what it comes to.
struct StudiedTrace {
    ProfileTrace trace;
    std::vector<OperatorTotals> totals;
    FlameGraph flame;
};
auto fields(Like<StudiedTrace> auto& it) { return std::tie(it.trace, it.totals, it.flame); }

struct TraceAnswer {
    std::shared_ptr<const StudiedTrace> trace;
    std::string error;  // not empty: there is none
};
auto fields(Like<TraceAnswer> auto& it) { return std::tie(it.trace, it.error); }

struct ReadTraceQuery {
    using Answer = TraceAnswer;
    static const QueryRecord& record();

    std::string path = {};  // a trace, or a recorded run (.loupe); empty: of the run that is shown
};
auto fields(Like<ReadTraceQuery> auto& it) { return std::tie(it.path); }

}  // namespace loupe::session
