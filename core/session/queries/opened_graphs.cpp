// SPDX-License-Identifier: Apache-2.0
#include "core/session/queries/opened_graphs.h"

#include "core/session/query_record.h"
#include "core/session/references.h"

namespace loupe::session {
namespace {

OpenedGraphs opened_graphs_answer(const OpenedGraphsQuery& query, QueryContext&) {
    return current_references().open_graphs(query.reference);
}

}  // namespace

const QueryRecord& OpenedGraphsQuery::record() {
    static constexpr QueryRecord kRecord =
        query_record<OpenedGraphsQuery, opened_graphs_answer>({.name = "opened graphs"});
    return kRecord;
}

}  // namespace loupe::session
