// SPDX-License-Identifier: Apache-2.0
#include "core/session/table_record.h"

#include <algorithm>
#include <mutex>

#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe::session {
namespace {

struct Tables {
    std::mutex mutex;
    std::vector<const TableRecord*> all;
};
Tables& tables() {
    static Tables tables;
    return tables;
}

}  // namespace

void add_table(const TableRecord& record) {
    Tables& known = tables();
    const std::lock_guard lock(known.mutex);
    const bool is_there = std::any_of(known.all.begin(), known.all.end(),
                                      [&](const TableRecord* other) { return other->name == record.name; });
    if (is_there) throw Error(ErrorKind::Plugin, concat("gives the table ", record.name, ", which is there"));
    known.all.push_back(&record);
}

std::vector<const TableRecord*> all_tables() {
    Tables& known = tables();
    const std::lock_guard lock(known.mutex);
    return known.all;
}

}  // namespace loupe::session
