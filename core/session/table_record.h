// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a plugin says of a table that it makes. queries/table.h asks for it.

#include <string_view>
#include <vector>

#include "core/session/tables.h"

namespace loupe::session {

class QueryContext;

struct TableRecord {
    std::string_view name;
    std::string_view title;
    std::string_view what;
    // On the engine thread, also while a run is parked. What it throws becomes the table's error.
    QueryTable (*answer)(QueryContext& context) = nullptr;
};

// It must live as long as the process. Throws Error (Plugin) when there is one of that name.
void add_table(const TableRecord& record);
// In the order in which they were added.
std::vector<const TableRecord*> all_tables();

}  // namespace loupe::session
