// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The rows of a trace on the time axis: of each track one for each depth, and its counters.

#include <memory>
#include <vector>

#include "core/study/profile_streams.h"
#include "views/common/imports.h"
#include "views/timeline/timeline_index.h"

namespace loupe::views {

class TraceIndex {
  public:
    TraceIndex() = default;
    explicit TraceIndex(TracePtr trace);

    struct Track {
        std::uint32_t number = 0;  // of the trace's tracks
        bool begins_process = false;
        std::vector<Lane> depths;  // a zone's id is its number in the trace
    };
    struct Counter {
        std::size_t number = 0;  // of the trace's counters
        Curve curve;
    };

    const ProfileTrace* trace() const { return trace_ ? &trace_->trace : nullptr; }
    const std::vector<Track>& tracks() const { return tracks_; }
    const std::vector<Counter>& counters() const { return counters_; }
    // Null for what is no stream of a device, or has no work.
    const session::StreamUse* useOf(std::uint32_t track) const;
    double end() const { return trace_ ? trace_->trace.seconds : 0; }

  private:
    TracePtr trace_;
    std::vector<Track> tracks_;
    std::vector<Counter> counters_;
    std::vector<session::StreamUse> uses_;
};

}  // namespace loupe::views
