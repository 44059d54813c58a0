// SPDX-License-Identifier: Apache-2.0
#include "core/session/queries/continue_edit.h"

#include "core/session/query_record.h"

namespace loupe::session {
namespace {

ContinuedEdit continue_edit_answer(const ContinueEditQuery& query, QueryContext& context) {
    return context.continue_edit(query.edit);
}

}  // namespace

const QueryRecord& ContinueEditQuery::record() {
    static constexpr QueryRecord kRecord =
        query_record<ContinueEditQuery, continue_edit_answer>({.name = "continue with edit", .needs_model = true});
    return kRecord;
}

}  // namespace loupe::session
