// SPDX-License-Identifier: Apache-2.0
#include "core/session/queries/watch.h"

#include "core/session/query_record.h"
#include "core/session/watch.h"

namespace loupe::session {
namespace {

std::string watch_answer(const WatchQuery& query, QueryContext& context) {
    const auto recording = context.recording();
    return recording == nullptr ? "nothing was recorded" : evaluate_watch(*recording, query.expression, query.at);
}

}  // namespace

const QueryRecord& WatchQuery::record() {
    static constexpr QueryRecord kRecord = query_record<WatchQuery, watch_answer>({.name = "watch"});
    return kRecord;
}

}  // namespace loupe::session
