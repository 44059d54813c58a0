// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// From the account of a recording: bytes alive after every event, by category.

#include <array>
#include <vector>

#include "core/record/memory_sums.h"

namespace loupe::views {

struct MemorySeries {
    // bytes[c][i]: of category c after event i; i = 0 is before the run.
    std::array<std::vector<double>, session::kCategories> bytes;
    std::vector<double> total;  // without kernel caches
    std::size_t events() const { return total.empty() ? 0 : total.size() - 1; }
    // Event after which the total is greatest.
    session::EventId peakEvent() const;
};
MemorySeries memorySeries(const session::MemoryBook& book, std::size_t event_count);

}  // namespace loupe::views
