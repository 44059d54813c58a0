// SPDX-License-Identifier: Apache-2.0
#include "core/formats/profiler/profile_trace.h"

#include <algorithm>
#include <numeric>

#include "core/base/cancel.h"

namespace loupe {
namespace {

// Times are written in thousandths of a microsecond, from clocks that are rounded each for itself.
constexpr double kRounding = 2e-9;

// The zones of a track: parents and depths.
void nest(ProfileTrace& trace, ProfileTrack& track) {
    std::vector<std::uint32_t> open;
    const std::uint64_t end = track.first + track.count;
    for (std::uint64_t i = track.first; i < end; ++i) {
        ProfileZone& zone = trace.zones[i];
        while (!open.empty() && trace.zones[open.back()].end() <= zone.start + kRounding) open.pop_back();
        zone.parent = open.empty() ? ProfileZone::kNone : open.back();
        zone.depth = static_cast<std::uint32_t>(open.size());
        track.depth = std::max(track.depth, zone.depth + 1);
        open.push_back(static_cast<std::uint32_t>(i));
    }
}

// Returns the time that is 0 from then on.
double begin_at_zero(ProfileTrace& trace) {
    double first = 0;
    double last = 0;
    bool is_any = false;
    for (const ProfileZone& zone : trace.zones) {
        first = is_any ? std::min(first, zone.start) : zone.start;
        last = is_any ? std::max(last, zone.end()) : zone.end();
        is_any = true;
    }
    if (!is_any) {
        for (const ProfileCounter& counter : trace.counters) {
            if (counter.times.empty()) continue;
            first = is_any ? std::min(first, counter.times.front()) : counter.times.front();
            last = is_any ? std::max(last, counter.times.back()) : counter.times.back();
            is_any = true;
        }
    }
    trace.seconds = last - first;
    for (ProfileZone& zone : trace.zones) zone.start -= first;
    for (ProfileCounter& counter : trace.counters)
        for (double& time : counter.times) time -= first;
    return first;
}

}  // namespace

ZoneArrangement arrange_zones(ProfileTrace& trace) {
    ZoneArrangement result;
    result.begin = begin_at_zero(trace);
    std::vector<std::uint32_t> order(trace.zones.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        const ProfileZone& one = trace.zones[a];
        const ProfileZone& other = trace.zones[b];
        if (one.track != other.track) return one.track < other.track;
        if (one.start != other.start) return one.start < other.start;
        return one.duration > other.duration;
    });
    check_cancelled();
    std::vector<ProfileZone> sorted;
    sorted.reserve(order.size());
    for (const std::uint32_t at : order) sorted.push_back(trace.zones[at]);
    trace.zones = std::move(sorted);
    result.tracks.assign(trace.tracks.size(), ProfileZone::kNone);
    std::vector<ProfileTrack> used;
    for (std::uint64_t i = 0; i < trace.zones.size();) {
        const std::uint32_t track = trace.zones[i].track;
        ProfileTrack one = std::move(trace.tracks[track]);
        one.first = i;
        result.tracks[track] = static_cast<std::uint32_t>(used.size());
        while (i < trace.zones.size() && trace.zones[i].track == track) trace.zones[i++].track = result.tracks[track];
        one.count = i - one.first;
        one.depth = 0;
        nest(trace, one);
        used.push_back(std::move(one));
        check_cancelled();
    }
    trace.tracks = std::move(used);
    return result;
}

}  // namespace loupe
