// SPDX-License-Identifier: Apache-2.0
#pragma once
// One of them, made now.

#include <string>

#include "core/session/query.h"
#include "core/session/tables.h"

namespace loupe::session {

struct TableQuery {
    using Answer = QueryTable;
    static const QueryRecord& record();

    std::string name = {};
};
auto fields(Like<TableQuery> auto& it) { return std::tie(it.name); }

}  // namespace loupe::session
