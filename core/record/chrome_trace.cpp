// SPDX-License-Identifier: Apache-2.0
#include "core/record/chrome_trace.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "core/base/file.h"

namespace loupe::session {
namespace {

constexpr double kMicroseconds = 1e6;

constexpr int kHost = 1;         // a process, and its thread
constexpr int kDevices = 2;      // a process, a thread a device
constexpr int kFirstWorker = 2;  // of the host's threads
constexpr int kLoop = 1000;      // what the engine waited for data, as a thread
constexpr int kFirstLoader = 1001;

nlohmann::json zone(std::string_view name, std::string_view category, double start, double duration,
                    int process = kHost, int thread = 1) {
    return {{"ph", "X"},
            {"name", name},
            {"cat", category},
            {"pid", process},
            {"tid", thread},
            {"ts", start * kMicroseconds},
            {"dur", duration * kMicroseconds}};
}

nlohmann::json named(const char* what, std::string_view name, int process, int thread) {
    return {{"ph", "M"}, {"name", what}, {"pid", process}, {"tid", thread}, {"args", {{"name", name}}}};
}

// As PyTorch's profiler links a launch with its kernel.
nlohmann::json flow(const char* phase, EventId id, double at, int process, int thread) {
    nlohmann::json out{{"ph", phase},    {"id", id},      {"cat", "ac2g"},           {"name", "ac2g"},
                       {"pid", process}, {"tid", thread}, {"ts", at * kMicroseconds}};
    if (*phase == 'f') out["bp"] = "e";
    return out;
}

// When the engine's thread was at it: of work on a device its launch.
struct HostTime {
    explicit HostTime(const Event& event)
        : is_launch(event.device.launch > 0),
          start(is_launch && event.device.given > 0 ? event.device.given : event.start),
          end(is_launch ? start + event.device.launch : event.end()) {}
    bool is_launch = false;
    double start = 0;
    double end = 0;
};

// Threads of the host and devices, as far as events name them.
class Tracks {
  public:
    explicit Tracks(nlohmann::json& out) : out_(out) {
        out_.push_back(named("process_name", "host", kHost, 0));
        out_.push_back(named("thread_name", "engine", kHost, 1));
    }
    int device(std::string_view name) {
        const auto found = std::ranges::find(devices_, name);
        if (found != devices_.end()) return static_cast<int>(found - devices_.begin()) + 1;
        if (devices_.empty()) out_.push_back(named("process_name", "devices", kDevices, 0));
        devices_.emplace_back(name);
        out_.push_back(named("thread_name", name, kDevices, static_cast<int>(devices_.size())));
        return static_cast<int>(devices_.size());
    }
    int worker(std::uint32_t thread) {
        const int number = kFirstWorker - 1 + static_cast<int>(thread);
        if (std::ranges::find(workers_, thread) == workers_.end()) {
            workers_.push_back(thread);
            out_.push_back(named("thread_name", "worker " + std::to_string(thread), kHost, number));
        }
        return number;
    }
    int loader(const LoadSpan& load) {
        const bool is_worker = load.kind == data::LoadKind::Worker || load.kind == data::LoadKind::InTurn;
        const int number = is_worker ? kFirstLoader + static_cast<int>(load.worker) : kLoop;
        if (loaders_.insert(number).second) {
            const std::string name = is_worker ? "loader " + std::to_string(load.worker) : "loading";
            out_.push_back(named("thread_name", name, kHost, number));
        }
        return number;
    }

  private:
    nlohmann::json& out_;
    std::set<int> loaders_;
    std::vector<std::string> devices_;
    std::vector<std::uint32_t> workers_;
};

}  // namespace

void write_chrome_trace(const Recording& recording, const std::filesystem::path& file) {
    nlohmann::json events = nlohmann::json::array();
    Tracks tracks(events);
    for (EventId id = 1; id <= recording.event_count(); ++id) {
        const Event& event = recording.event(id);
        const HostTime host(event);
        nlohmann::json entry = zone(event.op, phase_name(event.phase), host.start, host.end - host.start);
        if (host.is_launch) {
            const int device = tracks.device(event.device.device);
            events.push_back(zone(event.op, "kernel", event.start, event.duration, kDevices, device));
            events.push_back(flow("s", id, host.start, kHost, 1));
            events.push_back(flow("f", id, event.start, kDevices, device));
        }
        for (const WorkerSpan& span : event.workers)
            events.push_back(
                zone(event.op, "worker", span.start, span.end - span.start, kHost, tracks.worker(span.thread)));
        nlohmann::json arguments{{"event", id}, {"scope", event.scope}, {"backend", event.backend}};
        if (event.source_line > 0)
            arguments["source"] = std::string(event.source_file) + ":" + std::to_string(event.source_line);
        if (event.peer != 0) arguments["forward event"] = event.peer;
        if (const std::string setup = event.setup.text(); !setup.empty()) arguments["set-up"] = setup;
        if (const std::string device = event.device.text(); !device.empty()) arguments["device"] = device;
        if (event.is_cold) arguments["first call of its kernel"] = true;
        if (!event.outputs.empty() && event.outputs[0] != 0)
            arguments["output"] = shape_text(recording.value(event.outputs[0]).shape);
        entry["args"] = std::move(arguments);
        events.push_back(std::move(entry));
        events.push_back({{"ph", "C"},
                          {"name", "memory"},
                          {"pid", 1},
                          {"ts", event.end() * kMicroseconds},
                          {"args", {{"bytes", event.memory_after}}}});
    }
    for (const LoadSpan& load : recording.loads()) {
        const std::string name =
            (load.kind == data::LoadKind::Wait ? "wait for batch " : "batch ") + std::to_string(load.batch);
        events.push_back(zone(name, "data", load.start, load.end - load.start, kHost, tracks.loader(load)));
    }
    for (std::uint32_t id = 1; id <= recording.frame_count(); ++id) {
        const Frame& frame = recording.frame(id);
        const EventId last = recording.frame_end(id);
        if (last < frame.first_event || last > recording.event_count()) continue;
        const double start = HostTime(recording.event(frame.first_event)).start;
        const double end = HostTime(recording.event(last)).end;
        events.push_back(zone(frame.scope.empty() ? frame.function : frame.scope, "module", start, end - start));
    }
    write_file_atomically(file, nlohmann::json{{"traceEvents", std::move(events)}, {"displayTimeUnit", "ms"}}.dump(
                                    -1, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace loupe::session
