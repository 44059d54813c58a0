// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a profiler recorded of a program: zones on threads and streams, counters, and links between zones. PyTorch's
// profiler writes one (trace_reader.h), a recorded run is one (profile_of_recording.h).

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/fields.h"

namespace loupe {

// Zones of one track are sorted by start, a parent before its children.
struct ProfileZone {
    static constexpr std::uint32_t kNone = 0xffffffff;

    double start = 0;  // seconds since the trace began
    double duration = 0;
    std::uint32_t name = 0;      // of ProfileTrace::texts
    std::uint32_t category = 0;  // likewise: "cpu_op", "kernel"
    std::uint32_t track = 0;
    std::uint32_t parent = kNone;  // the zone of the same track around it
    std::uint32_t depth = 0;
    std::uint32_t arguments_size = 0;
    std::uint64_t arguments = 0;  // where they begin in ProfileTrace::arguments

    double end() const { return start + duration; }
};
auto fields(Like<ProfileZone> auto& it) {
    return std::tie(it.start, it.duration, it.name, it.category, it.track, it.parent, it.depth, it.arguments_size,
                    it.arguments);
}

// A thread of a process, a stream of a device.
struct ProfileTrack {
    std::string process;  // "python (CPU)"
    std::string name;     // "thread 9418 (python)", "stream 7"
    std::uint64_t first = 0;
    std::uint64_t count = 0;
    std::uint32_t depth = 0;  // rows that its zones need
    bool is_device = false;   // a stream of a device
};
auto fields(Like<ProfileTrack> auto& it) {
    return std::tie(it.process, it.name, it.first, it.count, it.depth, it.is_device);
}

// A number over time, sorted by time.
struct ProfileCounter {
    std::string name;  // "Memory of CPU"
    bool is_bytes = false;
    std::vector<double> times;  // seconds since the trace began
    std::vector<double> values;
};
auto fields(Like<ProfileCounter> auto& it) { return std::tie(it.name, it.is_bytes, it.times, it.values); }

// From the zone that caused to the zone that was caused.
struct ProfileLink {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::uint32_t category = 0;  // of ProfileTrace::texts: "ac2g", "fwdbwd"
};
auto fields(Like<ProfileLink> auto& it) { return std::tie(it.from, it.to, it.category); }

struct ProfileTrace {
    std::string path;
    std::string source;  // "PyTorch's profiler", "a recorded run"
    std::vector<std::string> texts;
    std::string arguments;  // of all zones, as JSON
    std::vector<ProfileZone> zones;
    std::vector<ProfileTrack> tracks;
    std::vector<ProfileCounter> counters;
    std::vector<ProfileLink> links;  // sorted by from
    double seconds = 0;              // from the first zone's start to the last end
    std::vector<std::string> notes;  // what could not be read, a sentence each

    // The profiler's own span lasts as long as the trace and is no call.
    bool is_span(const ProfileZone& zone) const { return texts[zone.category] == "Trace"; }
    std::string_view name_of(const ProfileZone& zone) const { return texts[zone.name]; }
    std::string_view category_of(const ProfileZone& zone) const { return texts[zone.category]; }
    std::string_view arguments_of(const ProfileZone& zone) const {
        return std::string_view(arguments).substr(zone.arguments, zone.arguments_size);
    }
};
auto fields(Like<ProfileTrace> auto& it) {
    return std::tie(it.path, it.source, it.texts, it.arguments, it.zones, it.tracks, it.counters, it.links, it.seconds,
                    it.notes);
}

struct ZoneArrangement {
    std::vector<std::uint32_t> tracks;  // of each track there was, its number now; ProfileZone::kNone: it had no zones
    double begin = 0;                   // the time that is 0 now
};
// The last step of filling a trace: sorts zones by track and time, nests them, drops tracks without zones, and begins
// the time at the first zone.
ZoneArrangement arrange_zones(ProfileTrace& trace);

}  // namespace loupe
