// SPDX-License-Identifier: Apache-2.0
#pragma once
// The tables that plugins make.

#include <vector>

#include "core/session/query.h"
#include "core/session/tables.h"

namespace loupe::session {

struct TablesQuery {
    using Answer = std::vector<TableInfo>;
    static const QueryRecord& record();
};
auto fields(Like<TablesQuery> auto&) { return std::tie(); }

}  // namespace loupe::session
