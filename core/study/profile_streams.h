// SPDX-License-Identifier: Apache-2.0
#pragma once
// How far the streams of a trace's devices are used: busy and idle time, gaps, and how long work waits behind its
// launch.

#include <cstdint>
#include <optional>
#include <vector>

#include "core/formats/profiler/profile_trace.h"

namespace loupe::session {

// Of one stream; kernels, copies and fills are its work, annotations and waits are not. Times in seconds.
struct StreamUse {
    std::uint32_t track = 0;
    std::uint64_t count = 0;  // pieces of work
    double begin = 0;         // of the first
    double end = 0;           // of the last
    double busy = 0;          // at least one runs
    double longest_gap = 0;   // between two
    double gap_at = 0;        // where it begins
    // From the begin of the call that launched it to its own, the median; none: no links say which.
    std::optional<double> launch_to_start;

    double idle() const { return end - begin - busy; }  // between the first and the last
    double share() const { return end > begin ? busy / (end - begin) : 0; }
};

// In the order of tracks; streams without work are left out.
std::vector<StreamUse> stream_uses(const ProfileTrace& trace);
// Seconds in which a stream works, of those from `from` to `to`.
double stream_busy(const ProfileTrace& trace, const ProfileTrack& track, double from, double to);
// Does a zone of this category keep a stream busy?
bool is_device_work(std::string_view category);

}  // namespace loupe::session
