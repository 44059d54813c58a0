// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/memory/memory_series.h"

#include <algorithm>

namespace loupe::views {

session::EventId MemorySeries::peakEvent() const {
    if (total.empty()) return 0;
    return static_cast<session::EventId>(std::max_element(total.begin(), total.end()) - total.begin());
}

MemorySeries memorySeries(const session::MemoryBook& book, std::size_t event_count) {
    MemorySeries series;
    for (auto& category : series.bytes) category.assign(event_count + 1, 0.0);
    series.total.assign(event_count + 1, 0.0);
    // Changes per event, then their running sums.
    for (const session::MemorySpan& span : book.spans()) {
        if (span.from > event_count) continue;
        const auto bytes = static_cast<double>(book.blocks()[span.allocation].bytes);
        auto& category = series.bytes[static_cast<std::size_t>(span.category)];
        category[span.from] += bytes;
        // Freed after its last event: absent from the next on.
        if (span.to != 0 && span.to + 1 <= event_count) category[span.to + 1] -= bytes;
    }
    for (std::size_t c = 0; c < series.bytes.size(); ++c) {
        double sum = 0;
        for (std::size_t i = 0; i <= event_count; ++i) {
            sum += series.bytes[c][i];
            series.bytes[c][i] = sum;
            if (c != static_cast<std::size_t>(session::Category::KernelCache)) series.total[i] += sum;
        }
    }
    return series;
}

}  // namespace loupe::views
