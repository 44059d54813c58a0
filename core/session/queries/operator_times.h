// SPDX-License-Identifier: Apache-2.0
#pragma once
// Repeats the last run (or the recorded step of a training) and gives each operator the median of warm runs, and their
// spread; the recording has them from then on. Not of a recording that was opened.

#include "core/record/operator_times.h"
#include "core/session/query.h"

namespace loupe::session {

struct OperatorTimesQuery {
    using Answer = OperatorTimesReport;
    static const QueryRecord& record();

    OperatorTimesRequest request = {};
};
auto fields(Like<OperatorTimesQuery> auto& it) { return std::tie(it.request); }

}  // namespace loupe::session
