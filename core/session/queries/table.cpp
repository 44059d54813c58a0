// SPDX-License-Identifier: Apache-2.0
#include "core/session/queries/table.h"

#include "core/base/strings.h"
#include "core/dispatch/plugin_list.h"
#include "core/session/query_record.h"
#include "core/session/table_record.h"

namespace loupe::session {
namespace {

QueryTable table_answer(const TableQuery& query, QueryContext& context) {
    plugins();
    for (const TableRecord* table : all_tables()) {
        if (table->name != query.name) continue;
        QueryTable made = table->answer(context);
        // Views go by the columns.
        for (auto& row : made.rows) row.resize(made.columns.size());
        return made;
    }
    throw Error(ErrorKind::Usage, concat("no plugin makes a table '", query.name, "'"));
}

}  // namespace

const QueryRecord& TableQuery::record() {
    static constexpr QueryRecord kRecord = query_record<TableQuery, table_answer>({.name = "table"});
    return kRecord;
}

}  // namespace loupe::session
