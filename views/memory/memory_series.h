// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// From the allocations of a recording: bytes alive after every event, by category, and what is alive at one event.

#include <array>
#include <vector>

#include "core/session/recording.h"

namespace loupe::views {

struct MemorySeries {
    // bytes[c][i]: of category c after event i; i = 0 is before the run.
    std::array<std::vector<double>, session::kCategories> bytes;
    std::vector<double> total;
    std::size_t events() const { return total.empty() ? 0 : total.size() - 1; }
    // Event after which the total is greatest.
    session::EventId peakEvent() const;
};
MemorySeries memorySeries(const session::Recording& recording, std::size_t event_count);

struct AliveBlock {
    session::Allocation allocation;
    std::size_t age = 0;  // events since it was asked for
};
// The greatest first.
std::vector<AliveBlock> aliveAt(const session::Recording& recording, session::EventId event);

}  // namespace loupe::views
