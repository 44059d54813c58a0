// SPDX-License-Identifier: Apache-2.0
#include "core/session/queries/line_values.h"

#include "core/record/recorder.h"
#include "core/session/query_record.h"

namespace loupe::session {
namespace {

std::vector<FrameValues> line_values_answer(const LineValuesQuery&, QueryContext& context) {
    const bool is_there =
        context.recorder() != nullptr && (context.status().state == RunState::Paused || context.run_failed());
    return is_there ? context.recorder()->line_values() : std::vector<FrameValues>();
}

}  // namespace

const QueryRecord& LineValuesQuery::record() {
    static constexpr QueryRecord kRecord = query_record<LineValuesQuery, line_values_answer>({.name = "line values"});
    return kRecord;
}

}  // namespace loupe::session
