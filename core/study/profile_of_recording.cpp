// SPDX-License-Identifier: Apache-2.0
#include "core/study/profile_of_recording.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "core/base/strings.h"
#include "core/formats/profiler/text_pool.h"

namespace loupe::session {
namespace {

class RecordingProfile {
  public:
    explicit RecordingProfile(const Recording& recording) : recording_(recording) {
        trace_.source = "a recorded run";
        for (const char* name : {"Forward", "Backward", "Optimizer"}) {
            ProfileTrack track;
            track.process = "Run";
            track.name = name;
            trace_.tracks.push_back(track);
        }
        trace_.counters.push_back({"Memory", true, {}, {}});
        for (std::uint32_t id = 1; id <= recording.frame_count(); ++id)
            frame_of_scope_.try_emplace(recording.frame(id).scope, id);
    }

    void add(const Event& event) {
        const auto track = static_cast<std::uint32_t>(event.phase);
        if (track != open_track_) open_.clear();
        open_track_ = track;
        const Span host = on_host(event);
        add_modules(event, track, host);
        const std::uint32_t name = texts_.number_of(event.op);
        add_zone(name, kOperatorCategory, track, host.start, host.seconds);
        const std::uint64_t operator_place = name_event(event);
        if (event.device.launch > 0) {
            add_zone(name, kDeviceCategory, stream_of(event.device.device), event.start, event.duration);
            launches_.push_back({operator_place, name_event(event)});
        }
        ProfileCounter& memory = trace_.counters.front();
        memory.times.push_back(event.end());
        memory.values.push_back(static_cast<double>(event.memory_after));
    }

    ProfileTrace finish() {
        arrange_zones(trace_);
        add_links();
        trace_.texts = texts_.take();
        return std::move(trace_);
    }

  private:
    struct Span {
        double start = 0;
        double seconds = 0;
        double end() const { return start + seconds; }
    };
    // Of an event of a device its launch. Without set-up.
    static Span on_host(const Event& event) {
        if (event.device.launch > 0)
            return {event.device.given > 0 ? event.device.given : event.start, event.device.launch};
        return {event.end() - event.duration, event.duration};
    }

    std::uint32_t stream_of(std::string_view device) {
        const auto found = std::ranges::find_if(
            trace_.tracks, [&](const ProfileTrack& track) { return track.is_device && track.name == device; });
        const auto number = static_cast<std::uint32_t>(found - trace_.tracks.begin());
        if (found == trace_.tracks.end()) {
            ProfileTrack track;
            track.process = "Devices";
            track.name = device;
            track.is_device = true;
            trace_.tracks.push_back(track);
        }
        return number;
    }

    // The last zone is of the event. Returns where its arguments begin, which no other zone's do.
    std::uint64_t name_event(const Event& event) {
        ProfileZone& zone = trace_.zones.back();
        zone.arguments = trace_.arguments.size();
        trace_.arguments += concat(R"({"event":)", event.id, "}");
        zone.arguments_size = static_cast<std::uint32_t>(trace_.arguments.size() - zone.arguments);
        return zone.arguments;
    }

    // From launches to what devices did.
    void add_links() {
        if (launches_.empty()) return;
        std::unordered_map<std::uint64_t, std::uint32_t> zone_at;
        for (std::uint32_t i = 0; i < trace_.zones.size(); ++i)
            if (trace_.zones[i].arguments_size > 0) zone_at[trace_.zones[i].arguments] = i;
        const std::uint32_t category = texts_.number_of(kLaunchLink);
        for (const auto& [from, to] : launches_) trace_.links.push_back({zone_at[from], zone_at[to], category});
        std::ranges::sort(trace_.links, {}, &ProfileLink::from);
    }

    void add_zone(std::uint32_t name, std::string_view category, std::uint32_t track, double start, double duration) {
        ProfileZone zone;
        zone.start = start;
        zone.duration = duration;
        zone.name = name;
        zone.category = texts_.number_of(category);
        zone.track = track;
        trace_.zones.push_back(zone);
    }

    // The calls of modules around the event, from the outside; what is in no call belongs to its module.
    std::vector<std::uint32_t> calls_around(const Event& event) const {
        std::uint32_t id = event.frame;
        if (id == 0 && event.phase != RunPhase::Forward) {
            const auto found = frame_of_scope_.find(event.scope);
            if (found != frame_of_scope_.end()) id = found->second;
        }
        constexpr std::size_t kDeepest = 64;
        std::vector<std::uint32_t> chain;
        while (id != 0 && id <= recording_.frame_count() && chain.size() < kDeepest) {
            chain.push_back(id);
            const std::uint32_t parent = recording_.frame(id).parent;
            if (parent >= id) break;
            id = parent;
        }
        std::reverse(chain.begin(), chain.end());
        return chain;
    }

    // A call lasts from its first event to its last one in a row.
    void add_modules(const Event& event, std::uint32_t track, const Span& host) {
        const std::vector<std::uint32_t> chain = calls_around(event);
        std::size_t same = 0;
        while (same < std::min(chain.size(), open_.size()) && open_[same].frame == chain[same]) ++same;
        open_.resize(same);
        for (; same < chain.size(); ++same) {
            const Frame& frame = recording_.frame(chain[same]);
            const std::string name = frame.scope.empty()
                                         ? std::string(frame.class_name)
                                         : concat(frame.scope, frame.class_name.empty() ? "" : " ", frame.class_name);
            open_.push_back({chain[same], trace_.zones.size()});
            add_zone(texts_.number_of(name), kModuleCategory, track, host.start, 0);
        }
        for (const OpenCall& call : open_) {
            ProfileZone& zone = trace_.zones[call.zone];
            zone.duration = std::max(zone.duration, host.end() - zone.start);
        }
    }

    struct OpenCall {
        std::uint32_t frame = 0;
        std::size_t zone = 0;
    };

    const Recording& recording_;
    ProfileTrace trace_;
    TextPool texts_;
    std::vector<OpenCall> open_;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> launches_;  // by where arguments begin
    std::uint32_t open_track_ = 0;
    std::unordered_map<std::string_view, std::uint32_t> frame_of_scope_;
};

}  // namespace

ProfileTrace profile_of_recording(const Recording& recording, std::size_t event_count) {
    RecordingProfile profile(recording);
    for (EventId id = 1; id <= std::min(event_count, recording.event_count()); ++id) profile.add(recording.event(id));
    return profile.finish();
}

}  // namespace loupe::session
