// SPDX-License-Identifier: Apache-2.0
#include "core/session/queries/restore_run.h"

#include "core/session/query_record.h"

namespace loupe::session {
namespace {

RestoredRun restore_run_answer(const RestoreRunQuery& query, QueryContext& context) {
    return context.restore_run(query.folder);
}

}  // namespace

const QueryRecord& RestoreRunQuery::record() {
    static constexpr QueryRecord kRecord = query_record<RestoreRunQuery, restore_run_answer>({.name = "restore run"});
    return kRecord;
}

}  // namespace loupe::session
