// SPDX-License-Identifier: Apache-2.0
#include "core/record/chrome_trace.h"

#include <nlohmann/json.hpp>

#include "core/base/file.h"

namespace loupe::session {
namespace {

constexpr double kMicroseconds = 1e6;

nlohmann::json zone(std::string_view name, std::string_view category, double start, double duration) {
    return {{"ph", "X"},
            {"name", name},
            {"cat", category},
            {"pid", 1},
            {"tid", 1},
            {"ts", start * kMicroseconds},
            {"dur", duration * kMicroseconds}};
}

}  // namespace

void write_chrome_trace(const Recording& recording, const std::filesystem::path& file) {
    nlohmann::json events = nlohmann::json::array();
    for (EventId id = 1; id <= recording.event_count(); ++id) {
        const Event& event = recording.event(id);
        nlohmann::json entry = zone(event.op, phase_name(event.phase), event.start, event.end() - event.start);
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
    for (std::uint32_t id = 1; id <= recording.frame_count(); ++id) {
        const Frame& frame = recording.frame(id);
        const EventId last = recording.frame_end(id);
        if (last < frame.first_event || last > recording.event_count()) continue;
        const double start = recording.event(frame.first_event).start;
        const Event& end = recording.event(last);
        events.push_back(zone(frame.scope.empty() ? frame.function : frame.scope, "module", start, end.end() - start));
    }
    write_file_atomically(file, nlohmann::json{{"traceEvents", std::move(events)}, {"displayTimeUnit", "ms"}}.dump(
                                    -1, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace loupe::session
