// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/trace_index.h"

#include <algorithm>

namespace loupe::views {

TraceIndex::TraceIndex(TracePtr from) : trace_(std::move(from)) {
    const ProfileTrace& trace = trace_->trace;
    constexpr std::size_t kDeepest = 200;  // rows that can be looked at
    for (std::uint32_t number = 0; number < trace.tracks.size(); ++number) {
        const ProfileTrack& track = trace.tracks[number];
        Track row;
        row.number = number;
        row.begins_process = number == 0 || trace.tracks[number - 1].process != track.process;
        row.depths.resize(std::min<std::size_t>(track.depth, kDeepest));
        for (std::uint64_t i = track.first; i < track.first + track.count; ++i) {
            const ProfileZone& zone = trace.zones[i];
            if (zone.depth >= kDeepest) continue;
            row.depths[zone.depth].add({zone.start, zone.end(), static_cast<std::uint32_t>(i), 0, 0});
        }
        tracks_.push_back(std::move(row));
    }
    uses_ = session::stream_uses(trace);
    for (std::size_t number = 0; number < trace.counters.size(); ++number) {
        const ProfileCounter& counter = trace.counters[number];
        Counter row;
        row.number = number;
        for (std::size_t i = 0; i < counter.times.size(); ++i) row.curve.add(counter.times[i], counter.values[i]);
        // A number stays what it was.
        if (!counter.times.empty() && counter.times.back() < trace.seconds)
            row.curve.add(trace.seconds, counter.values.back());
        if (row.curve.greatest() > 0) counters_.push_back(std::move(row));
    }
}

const session::StreamUse* TraceIndex::useOf(std::uint32_t track) const {
    const auto found = std::ranges::find(uses_, track, &session::StreamUse::track);
    return found == uses_.end() ? nullptr : &*found;
}

}  // namespace loupe::views
