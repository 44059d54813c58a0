// SPDX-License-Identifier: Apache-2.0
#include "core/session/queries/list.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <vector>

#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe::session {
namespace {

template <typename... Queries>
std::vector<const QueryRecord*> records_of(QueryTypes<Queries...>) {
    std::vector<const QueryRecord*> records{&Queries::record()...};
    std::sort(records.begin(), records.end(),
              [](const QueryRecord* a, const QueryRecord* b) { return a->name < b->name; });
    return records;
}

// Of plugins.
struct AddedQueries {
    std::mutex mutex;
    std::map<std::string_view, const QueryRecord*> by_name;
};
AddedQueries& added_queries() {
    static AddedQueries added;
    return added;
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
    if (found != all.end() && (*found)->name == name) return *found;
    AddedQueries& added = added_queries();
    const std::lock_guard lock(added.mutex);
    const auto own = added.by_name.find(name);
    return own != added.by_name.end() ? own->second : nullptr;
}

void add_query(const QueryRecord& record) {
    const bool is_there = find_query(record.name) != nullptr;
    AddedQueries& added = added_queries();
    const std::lock_guard lock(added.mutex);
    if (is_there || !added.by_name.emplace(record.name, &record).second)
        throw Error(ErrorKind::Plugin, concat("gives the question '", record.name, "', which is there"));
}

}  // namespace loupe::session
