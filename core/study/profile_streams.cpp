// SPDX-License-Identifier: Apache-2.0
#include "core/study/profile_streams.h"

#include <algorithm>

namespace loupe::session {
namespace {

// Zones of a track are sorted by start: what ends before the last end adds nothing.
class BusyTime {
  public:
    void add(double start, double end) {
        if (end <= until_ && has_any_) return;
        const double from = has_any_ ? std::max(start, until_) : start;
        if (has_any_ && start - until_ > longest_gap) {
            longest_gap = start - until_;
            gap_at = until_;
        }
        seconds += std::max(0.0, end - from);
        until_ = end;
        has_any_ = true;
    }
    double until() const { return until_; }

    double seconds = 0;
    double longest_gap = 0;
    double gap_at = 0;

  private:
    double until_ = 0;
    bool has_any_ = false;
};

double median(std::vector<double>& values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

}  // namespace

bool is_device_work(std::string_view category) {
    return category == "kernel" || category == "gpu_memcpy" || category == "gpu_memset" || category == "Kernel" ||
           category == "Memcpy" || category == "Memset";
}

std::vector<StreamUse> stream_uses(const ProfileTrace& trace) {
    std::vector<StreamUse> all;
    std::vector<std::vector<double>> waits(trace.tracks.size());
    for (const ProfileLink& link : trace.links) {
        const ProfileZone& to = trace.zones[link.to];
        if (trace.tracks[to.track].is_device && is_device_work(trace.category_of(to)))
            waits[to.track].push_back(to.start - trace.zones[link.from].start);
    }
    for (std::uint32_t number = 0; number < trace.tracks.size(); ++number) {
        const ProfileTrack& track = trace.tracks[number];
        if (!track.is_device) continue;
        StreamUse use;
        use.track = number;
        BusyTime busy;
        for (std::uint64_t i = track.first; i < track.first + track.count; ++i) {
            const ProfileZone& zone = trace.zones[i];
            if (!is_device_work(trace.category_of(zone))) continue;
            if (use.count++ == 0) use.begin = zone.start;
            busy.add(zone.start, zone.end());
        }
        if (use.count == 0) continue;
        use.end = busy.until();
        use.busy = busy.seconds;
        use.longest_gap = busy.longest_gap;
        use.gap_at = busy.gap_at;
        if (!waits[number].empty()) use.launch_to_start = median(waits[number]);
        all.push_back(use);
    }
    return all;
}

double stream_busy(const ProfileTrace& trace, const ProfileTrack& track, double from, double to) {
    BusyTime busy;
    for (std::uint64_t i = track.first; i < track.first + track.count; ++i) {
        const ProfileZone& zone = trace.zones[i];
        if (zone.start >= to) break;
        if (zone.end() > from && is_device_work(trace.category_of(zone)))
            busy.add(std::max(from, zone.start), std::min(to, zone.end()));
    }
    return busy.seconds;
}

}  // namespace loupe::session
