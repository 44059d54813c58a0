// SPDX-License-Identifier: Apache-2.0
#include "core/optim/scheduler_list.h"

#include <algorithm>

#include "core/base/record_list.h"

namespace loupe::optim {

std::span<const SchedulerRecord* const> scheduler_records() {
    static const auto all =
        records_of_files<SchedulerRecord>({decay_schedules(), cycle_schedules(), composed_schedules()});
    return all;
}

const SchedulerRecord* find_scheduler(std::string_view name) {
    const auto all = scheduler_records();
    const auto found = std::ranges::find(all, name, [](const SchedulerRecord* record) { return record->name; });
    return found == all.end() ? nullptr : *found;
}

}  // namespace loupe::optim
