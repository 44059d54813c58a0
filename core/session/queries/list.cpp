// SPDX-License-Identifier: Apache-2.0
#include "core/session/queries/list.h"

#include <algorithm>
#include <vector>

namespace loupe::session {
namespace {

template <typename... Queries>
std::vector<const QueryRecord*> records_of(QueryTypes<Queries...>) {
    std::vector<const QueryRecord*> records{&Queries::record()...};
    std::sort(records.begin(), records.end(),
              [](const QueryRecord* a, const QueryRecord* b) { return a->name < b->name; });
    return records;
}

}  // namespace

std::span<const QueryRecord* const> query_list() {
    static const std::vector<const QueryRecord*> kAll = records_of(AllQueries());
    return kAll;
}

const QueryRecord* find_query(std::string_view name) {
    const auto all = query_list();
    const auto found =
        std::lower_bound(all.begin(), all.end(), name,
                         [](const QueryRecord* record, std::string_view wanted) { return record->name < wanted; });
    return found != all.end() && (*found)->name == name ? *found : nullptr;
}

}  // namespace loupe::session
