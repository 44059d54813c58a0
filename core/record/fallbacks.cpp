// SPDX-License-Identifier: Apache-2.0
#include "core/record/fallbacks.h"

#include <algorithm>
#include <map>

#include "core/base/counted.h"
#include "core/base/strings.h"
#include "core/record/recording.h"

namespace loupe::session {

std::string Fallback::text() const {
    return concat(op, " has no kernel on ", device, ": ", counted(events, "event"), " on the CPU, ",
                  format_bytes(static_cast<double>(copied_bytes)), " copied in ", format_seconds(copy_seconds));
}

std::vector<Fallback> fallbacks_of(const Recording& recording) {
    std::map<std::pair<std::string_view, std::string_view>, Fallback> found;
    for (EventId id = 1; id <= recording.event_count(); ++id) {
        const Event& event = recording.event(id);
        if (!event.device.fell_back) continue;
        Fallback& entry = found[{event.op, event.device.device}];
        entry.op = event.op;
        entry.device = event.device.device;
        ++entry.events;
        entry.copied_bytes += event.device.copied_bytes;
        entry.copy_seconds += event.device.copy_seconds;
    }
    std::vector<Fallback> all;
    for (auto& [key, entry] : found) all.push_back(std::move(entry));
    std::ranges::stable_sort(all, std::ranges::greater(), &Fallback::copy_seconds);
    return all;
}

}  // namespace loupe::session
