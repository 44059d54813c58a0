// SPDX-License-Identifier: Apache-2.0
#include "core/session/queries/data_summary.h"

#include "core/session/query_record.h"

namespace loupe::session {
namespace {

DataSummary data_summary_answer(const DataSummaryQuery& query, QueryContext&) { return describe_data(query.data); }

}  // namespace

const QueryRecord& DataSummaryQuery::record() {
    static constexpr QueryRecord kRecord =
        query_record<DataSummaryQuery, data_summary_answer>({.name = "data summary"});
    return kRecord;
}

}  // namespace loupe::session
