// SPDX-License-Identifier: Apache-2.0
#pragma once
// From the events of a trace to its zones, tracks, counters and links.

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/json_document.h"
#include "core/formats/profiler/profile_trace.h"
#include "core/formats/profiler/text_pool.h"

namespace loupe {

class TraceEvents {
  public:
    // An element of traceEvents. One that is no event is counted.
    void add(const JsonValue& event);
    // One that is no JSON, or is nested too deep.
    void add_damaged();
    // Ends it: what was added becomes a trace, without path and source.
    ProfileTrace finish();

  private:
    struct TrackState {
        std::uint32_t process = 0;  // of names_: the pid
        std::uint32_t thread = 0;
        bool is_device = false;
        std::vector<std::uint32_t> begun;  // zones of B without their E
    };
    struct Naming {
        std::string name;
        std::string labels;
        double order = 0;
    };
    struct LinkEnd {
        std::uint32_t track = 0;
        double time = 0;
    };
    struct LinkEnds {
        std::uint32_t category = 0;
        LinkEnd from;
        bool has_from = false;
        std::vector<LinkEnd> to;
    };

    void leave_out(std::string_view why) { ++left_out_[why]; }
    std::uint32_t number_of_id(const JsonValue* id);
    std::uint32_t track_of(const JsonValue& event);
    void add_complete(const JsonValue& event, double time);
    void add_zone(const JsonValue& event, double time, double duration);
    void end_zone(const JsonValue& event, double time);
    void add_instant(const JsonValue& event, double time);
    void add_memory(const JsonValue& arguments, double time);
    void add_counts(const JsonValue& event, double time);
    void add_point(const std::string& counter, bool is_bytes, double time, double value);
    void add_link(const JsonValue& event, double time, bool is_end);
    void name_tracks(const JsonValue& event);
    void close_begun();
    void make_tracks();
    void make_links(const ZoneArrangement& arrangement);
    void note_left_out();

    ProfileTrace trace_;
    TextPool texts_;  // names and categories
    TextPool ids_;    // of processes, threads and links
    std::unordered_map<std::uint64_t, std::uint32_t> track_numbers_;
    std::vector<TrackState> tracks_;
    std::unordered_map<std::uint32_t, Naming> processes_;
    std::unordered_map<std::uint64_t, Naming> threads_;
    std::map<std::string, std::size_t, std::less<>> counter_numbers_;
    std::map<std::string, double, std::less<>> counted_;  // bytes so far, of traces that give changes only
    std::unordered_map<std::uint64_t, LinkEnds> links_;
    std::map<std::string_view, std::uint64_t> left_out_;
    std::uint64_t seen_ = 0;
    double first_ = 0;
    bool has_first_ = false;
};

}  // namespace loupe
