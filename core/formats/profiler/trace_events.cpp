// SPDX-License-Identifier: Apache-2.0
#include "core/formats/profiler/trace_events.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/cancel.h"
#include "core/base/counted.h"
#include "core/base/strings.h"

namespace loupe {
namespace {

constexpr double kMicrosecond = 1e-6;
constexpr std::size_t kMostZones = 200'000'000;
constexpr std::string_view kMemory = "[memory]";

std::uint64_t pair_of(std::uint32_t high, std::uint32_t low) { return (std::uint64_t{high} << 32) | low; }

std::string_view text_of(const JsonValue* value) {
    return value != nullptr && value->is_string() ? value->text() : std::string_view();
}

const double* finite(const JsonValue* value, double& out) {
    if (value == nullptr || !value->is_number()) return nullptr;
    out = value->number();
    return std::isfinite(out) ? &out : nullptr;
}

double number_or(const JsonValue* value, double otherwise) {
    double out = 0;
    return finite(value, out) != nullptr ? out : otherwise;
}

// c10::DeviceType.
std::string device_name(double type, double index) {
    const auto number = static_cast<std::int64_t>(index);
    if (type == 0) return "CPU";
    if (type == 1) return concat("cuda:", number);
    return concat("device ", static_cast<std::int64_t>(type), ":", number);
}

// Of a process or a thread that is named nowhere: kineto's own have names for numbers.
std::string name_of_id(std::string_view kind, std::string_view id) {
    const std::string_view digits = id.starts_with('-') ? id.substr(1) : id;
    const bool is_number = !digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos;
    return is_number ? concat(kind, " ", id) : std::string(id);
}

bool is_device_category(std::string_view category) {
    return category == "kernel" || category.starts_with("gpu_") || category == "Kernel" || category == "Memcpy" ||
           category == "Memset";
}

}  // namespace

// An integer or a text; both are written as PyTorch does: threads of kineto's own have names.
std::uint32_t TraceEvents::number_of_id(const JsonValue* id) {
    if (id == nullptr) return ids_.number_of("");
    if (id->is_string()) return ids_.number_of(id->text());
    if (id->kind() != JsonValue::Kind::Integer) return ids_.number_of(id->is_number() ? id->dump() : std::string());
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, id->integer()).ptr;
    return ids_.number_of({digits, static_cast<std::size_t>(end - digits)});
}

std::uint32_t TraceEvents::track_of(const JsonValue& event) {
    const std::uint32_t process = number_of_id(event.find("pid"));
    const std::uint32_t thread = number_of_id(event.find("tid"));
    const auto [found, is_new] =
        track_numbers_.try_emplace(pair_of(process, thread), static_cast<std::uint32_t>(tracks_.size()));
    if (is_new) tracks_.push_back({process, thread, false, {}});
    return found->second;
}

void TraceEvents::add(const JsonValue& event) {
    if (++seen_ % 4096 == 0) check_cancelled();
    if (!event.is_object()) return leave_out("that are no objects");
    const std::string_view phase = text_of(event.find("ph"));
    if (phase.size() != 1) return leave_out("without ph");
    if (phase[0] == 'M') return name_tracks(event);
    double time = 0;
    if (finite(event.find("ts"), time) == nullptr) return leave_out("without ts");
    // Of the large numbers of a clock few digits are left behind the point.
    if (!has_first_) first_ = time;
    has_first_ = true;
    time = std::round((time - first_) * 1000) * 1e-3 * kMicrosecond;
    switch (phase[0]) {
        case 'X':
            return add_complete(event, time);
        case 'B':
            tracks_[track_of(event)].begun.push_back(static_cast<std::uint32_t>(trace_.zones.size()));
            return add_zone(event, time, 0);
        case 'E':
            return end_zone(event, time);
        case 'i':
        case 'I':
        case 'R':
            return add_instant(event, time);
        case 'C':
            return add_counts(event, time);
        case 's':
        case 'f':
            return add_link(event, time, phase[0] == 'f');
        default:
            return leave_out("of kinds that a timeline does not show");
    }
}

void TraceEvents::add_damaged() {
    ++seen_;
    leave_out("that are damaged");
}

void TraceEvents::add_complete(const JsonValue& event, double time) {
    double duration = 0;
    if (event.find("dur") != nullptr && finite(event.find("dur"), duration) == nullptr)
        return leave_out("whose duration is no number");
    if (duration < 0) return leave_out("with a negative duration");
    add_zone(event, time, std::round(duration * 1000) * 1e-3 * kMicrosecond);
}

void TraceEvents::add_zone(const JsonValue& event, double time, double duration) {
    if (trace_.zones.size() >= kMostZones) return leave_out("beyond 200,000,000");
    ProfileZone zone;
    zone.start = time;
    zone.duration = duration;
    zone.name = texts_.number_of(text_of(event.find("name")));
    const std::string_view category = text_of(event.find("cat"));
    zone.category = texts_.number_of(category);
    zone.track = track_of(event);
    if (is_device_category(category)) tracks_[zone.track].is_device = true;
    if (const JsonValue* arguments = event.find("args"); arguments != nullptr && arguments->is_object()) {
        zone.arguments = trace_.arguments.size();
        arguments->append_to(trace_.arguments);
        zone.arguments_size =
            static_cast<std::uint32_t>(std::min<std::size_t>(trace_.arguments.size() - zone.arguments, 0xffffffff));
    }
    trace_.zones.push_back(zone);
}

void TraceEvents::end_zone(const JsonValue& event, double time) {
    TrackState& track = tracks_[track_of(event)];
    if (track.begun.empty()) return leave_out("that end what did not begin");
    ProfileZone& zone = trace_.zones[track.begun.back()];
    track.begun.pop_back();
    zone.duration = std::max(0.0, time - zone.start);
}

void TraceEvents::add_instant(const JsonValue& event, double time) {
    const JsonValue* arguments = event.find("args");
    if (text_of(event.find("name")) == kMemory && arguments != nullptr && arguments->is_object())
        return add_memory(*arguments, time);
    // The profiler's own marks, such as the end of its window, may lie far from every event.
    if (text_of(event.find("s")) == "g" && arguments == nullptr) return;
    add_zone(event, time, 0);
}

void TraceEvents::add_memory(const JsonValue& arguments, double time) {
    const std::string device =
        device_name(number_or(arguments.find("Device Type"), 0), number_or(arguments.find("Device Id"), -1));
    double total = 0;
    const bool has_total = finite(arguments.find("Total Allocated"), total) != nullptr;
    if (!has_total) total = counted_[device] += number_or(arguments.find("Bytes"), 0);
    add_point(concat("Memory of ", device), true, time, total);
    double reserved = 0;
    if (finite(arguments.find("Total Reserved"), reserved) != nullptr && reserved > 0)
        add_point(concat("Reserved of ", device), true, time, reserved);
}

void TraceEvents::add_counts(const JsonValue& event, double time) {
    const JsonValue* arguments = event.find("args");
    if (arguments == nullptr || !arguments->is_object()) return leave_out("that count nothing");
    const std::string name(text_of(event.find("name")));
    for (const auto& [key, value] : arguments->members()) {
        double number = 0;
        if (finite(&value, number) == nullptr) continue;
        const bool is_bytes = key.find("ytes") != std::string_view::npos;
        add_point(arguments->size() == 1 ? name : concat(name, " ", key), is_bytes, time, number);
    }
}

void TraceEvents::add_point(const std::string& counter, bool is_bytes, double time, double value) {
    constexpr std::size_t kMostCounters = 1000;
    const auto [found, is_new] = counter_numbers_.try_emplace(counter, trace_.counters.size());
    if (is_new) {
        if (trace_.counters.size() >= kMostCounters) {
            counter_numbers_.erase(found);
            return leave_out("of counters beyond 1,000");
        }
        trace_.counters.push_back({counter, is_bytes, {}, {}});
    }
    trace_.counters[found->second].times.push_back(time);
    trace_.counters[found->second].values.push_back(value);
}

void TraceEvents::add_link(const JsonValue& event, double time, bool is_end) {
    const std::string_view category = text_of(event.find("cat"));
    const std::uint32_t number = texts_.number_of(category);
    LinkEnds& ends = links_[pair_of(number, number_of_id(event.find("id")))];
    ends.category = number;
    const LinkEnd end{track_of(event), time};
    if (is_end) {
        ends.to.push_back(end);
    } else if (!ends.has_from) {
        ends.from = end;
        ends.has_from = true;
    }
}

void TraceEvents::name_tracks(const JsonValue& event) {
    const std::string_view what = text_of(event.find("name"));
    const JsonValue* arguments = event.find("args");
    if (arguments == nullptr) return;
    const std::uint32_t process = number_of_id(event.find("pid"));
    if (what.starts_with("process_")) {
        Naming& naming = processes_[process];
        if (what == "process_name") naming.name = text_of(arguments->find("name"));
        if (what == "process_labels") naming.labels = text_of(arguments->find("labels"));
        if (what == "process_sort_index") naming.order = number_or(arguments->find("sort_index"), 0);
    } else if (what.starts_with("thread_")) {
        Naming& naming = threads_[pair_of(process, number_of_id(event.find("tid")))];
        if (what == "thread_name") naming.name = text_of(arguments->find("name"));
        if (what == "thread_sort_index") naming.order = number_or(arguments->find("sort_index"), 0);
    }
}

// What has no end lasts as long as the trace.
void TraceEvents::close_begun() {
    double last = 0;
    for (const ProfileZone& zone : trace_.zones) last = std::max(last, zone.end());
    std::size_t count = 0;
    for (const TrackState& track : tracks_) {
        for (const std::uint32_t zone : track.begun)
            trace_.zones[zone].duration = std::max(0.0, last - trace_.zones[zone].start);
        count += track.begun.size();
    }
    if (count > 0) trace_.notes.push_back(concat(counted(count, "event"), " without an end: shown up to the last"));
}

// In the order of their sort indices: processes, in them threads.
void TraceEvents::make_tracks() {
    std::vector<std::uint32_t> order(tracks_.size());
    std::iota(order.begin(), order.end(), 0U);
    const auto process_of = [&](const TrackState& track) -> const Naming& { return processes_[track.process]; };
    const auto thread_of = [&](const TrackState& track) -> const Naming& {
        return threads_[pair_of(track.process, track.thread)];
    };
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        const TrackState& one = tracks_[a];
        const TrackState& other = tracks_[b];
        if (process_of(one).order != process_of(other).order) return process_of(one).order < process_of(other).order;
        if (one.process != other.process) return one.process < other.process;
        return thread_of(one).order < thread_of(other).order;
    });
    std::vector<std::uint32_t> place(tracks_.size());
    for (const std::uint32_t at : order) {
        const TrackState& state = tracks_[at];
        const Naming& process = process_of(state);
        const Naming& thread = thread_of(state);
        ProfileTrack track;
        track.process = process.name.empty() ? name_of_id("process", ids_.text(state.process)) : process.name;
        if (!process.labels.empty()) track.process = concat(track.process, " (", process.labels, ")");
        track.name = thread.name.empty() ? name_of_id(state.is_device ? "stream" : "thread", ids_.text(state.thread))
                                         : thread.name;
        while (!track.name.empty() && track.name.back() == ' ') track.name.pop_back();
        track.is_device = state.is_device;
        place[at] = static_cast<std::uint32_t>(trace_.tracks.size());
        trace_.tracks.push_back(std::move(track));
    }
    for (ProfileZone& zone : trace_.zones) zone.track = place[zone.track];
    for (auto& [key, ends] : links_) {
        ends.from.track = ends.has_from ? place[ends.from.track] : 0;
        for (LinkEnd& end : ends.to) end.track = place[end.track];
    }
}

namespace {

// Zones of a track that begin at or before a time: the last one's chain of parents has those around it.
std::uint32_t zone_around(const ProfileTrace& trace, const ProfileTrack& track, double time) {
    constexpr double kSlack = 2e-9;
    const auto begin = trace.zones.begin() + static_cast<std::ptrdiff_t>(track.first);
    const auto after = std::upper_bound(begin, begin + static_cast<std::ptrdiff_t>(track.count), time + kSlack,
                                        [](double at, const ProfileZone& zone) { return at < zone.start; });
    if (after == begin) return ProfileZone::kNone;
    auto at = static_cast<std::uint32_t>(after - trace.zones.begin() - 1);
    while (at != ProfileZone::kNone && trace.zones[at].end() + kSlack < time) at = trace.zones[at].parent;
    return at;
}

}  // namespace

void TraceEvents::make_links(const ZoneArrangement& arrangement) {
    const auto zone_of = [&](const LinkEnd& end) {
        const std::uint32_t track = arrangement.tracks[end.track];
        if (track == ProfileZone::kNone) return ProfileZone::kNone;
        return zone_around(trace_, trace_.tracks[track], end.time - arrangement.begin);
    };
    std::uint64_t loose = 0;
    for (const auto& [key, ends] : links_) {
        // PyTorch writes an end at each call of the runtime that has given no device any work.
        if (!ends.has_from) continue;
        const std::uint32_t from = zone_of(ends.from);
        for (const LinkEnd& end : ends.to) {
            const std::uint32_t to = zone_of(end);
            if (from == ProfileZone::kNone || to == ProfileZone::kNone)
                ++loose;
            else
                trace_.links.push_back({from, to, ends.category});
        }
    }
    std::ranges::sort(trace_.links, {}, [](const ProfileLink& link) { return std::tie(link.from, link.to); });
    if (loose > 0) trace_.notes.push_back(concat(counted(loose, "link"), " without an event at both ends"));
}

void TraceEvents::note_left_out() {
    if (left_out_.empty()) return;
    std::uint64_t all = 0;
    std::vector<std::string> parts;
    for (const auto& [why, count] : left_out_) {
        all += count;
        parts.push_back(concat(count, " ", why));
    }
    trace_.notes.push_back(concat(all, " of ", counted(seen_, "event"), " left out: ", join(parts, ", ")));
}

ProfileTrace TraceEvents::finish() {
    close_begun();
    make_tracks();
    make_links(arrange_zones(trace_));
    note_left_out();
    trace_.texts = texts_.take();
    return std::move(trace_);
}

}  // namespace loupe
