// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tables that plugins make of what is open, for a panel that knows nothing of them: values only.

#include <string>
#include <vector>

#include "core/base/fields.h"

namespace loupe::session {

struct TableInfo {
    std::string name;   // "example.parameters"
    std::string title;  // "Parameters by size"
    std::string what;   // one sentence
};
auto fields(Like<TableInfo> auto& it) { return std::tie(it.name, it.title, it.what); }

struct QueryTable {
    std::vector<std::string> columns;
    std::vector<std::vector<std::string>> rows;  // as many texts as there are columns
    std::string note;                            // what it comes to, one line; may be empty
    std::string error;                           // not empty: nothing else is valid
};
auto fields(Like<QueryTable> auto& it) { return std::tie(it.columns, it.rows, it.note, it.error); }

}  // namespace loupe::session
