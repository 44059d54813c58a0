// SPDX-License-Identifier: Apache-2.0
#include "core/session/queries/tables.h"

#include "core/dispatch/plugin_list.h"
#include "core/session/query_record.h"
#include "core/session/table_record.h"

namespace loupe::session {
namespace {

std::vector<TableInfo> tables_answer(const TablesQuery&, QueryContext&) {
    plugins();
    std::vector<TableInfo> all;
    for (const TableRecord* table : all_tables())
        all.push_back({std::string(table->name), std::string(table->title), std::string(table->what)});
    return all;
}

}  // namespace

const QueryRecord& TablesQuery::record() {
    static constexpr QueryRecord kRecord = query_record<TablesQuery, tables_answer>({.name = "tables"});
    return kRecord;
}

}  // namespace loupe::session
