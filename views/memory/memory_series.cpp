// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/memory/memory_series.h"

#include <algorithm>

namespace loupe::views {

session::EventId MemorySeries::peakEvent() const {
    if (total.empty()) return 0;
    return static_cast<session::EventId>(std::max_element(total.begin(), total.end()) - total.begin());
}

MemorySeries memorySeries(const session::Recording& recording, std::size_t event_count) {
    MemorySeries series;
    for (auto& category : series.bytes) category.assign(event_count + 1, 0.0);
    series.total.assign(event_count + 1, 0.0);
    // What changes at each event, then sums of it.
    const std::size_t count = recording.allocation_count();
    for (std::size_t i = 0; i < count; ++i) {
        const session::Allocation block = recording.allocation(i);
        auto& category = series.bytes[static_cast<std::size_t>(block.category)];
        if (block.allocated > event_count) continue;
        category[block.allocated] += static_cast<double>(block.bytes);
        // Freed after its last event: gone from the next on.
        if (block.freed != 0 && block.freed + 1 <= event_count) category[block.freed + 1] -= static_cast<double>(block.bytes);
    }
    for (auto& category : series.bytes) {
        double sum = 0;
        for (std::size_t i = 0; i <= event_count; ++i) {
            sum += category[i];
            category[i] = sum;
            series.total[i] += sum;
        }
    }
    return series;
}

std::vector<AliveBlock> aliveAt(const session::Recording& recording, session::EventId event) {
    std::vector<AliveBlock> alive;
    const std::size_t count = recording.allocation_count();
    for (std::size_t i = 0; i < count; ++i) {
        session::Allocation block = recording.allocation(i);
        if (block.bytes == 0 || block.allocated > event || (block.freed != 0 && block.freed < event)) continue;
        const std::size_t age = event - block.allocated;
        alive.push_back({std::move(block), age});
    }
    std::stable_sort(alive.begin(), alive.end(), [](const AliveBlock& a, const AliveBlock& b) { return a.allocation.bytes > b.allocation.bytes; });
    return alive;
}

}  // namespace loupe::views
