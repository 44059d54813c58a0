// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "app/cli/commands.h"
#include "core/base/counted.h"
#include "core/base/strings.h"
#include "core/record/fallbacks.h"
#include "core/record/memory_sums.h"

namespace loupe::cli {

void print_operator_times(const session::Recording& recording, const session::OperatorTimes& times) {
    std::printf("%5s %-8s %-32s %-28s %10s %10s %10s\n", "event", "phase", "operator", "scope", "median", "25 %",
                "75 %");
    for (session::EventId id = 1; id <= recording.event_count(); ++id) {
        const session::Event& event = recording.event(id);
        const session::OperatorTime* time = times.of(id);
        const auto seconds = [&](double session::OperatorTime::*of) {
            return time != nullptr ? format_seconds(time->*of) : std::string("-");
        };
        std::printf("%5u %-8s %-32s %-28s %10s %10s %10s\n", id, std::string(session::phase_name(event.phase)).c_str(),
                    std::string(event.op).c_str(), std::string(event.scope).c_str(),
                    seconds(&session::OperatorTime::median).c_str(), seconds(&session::OperatorTime::low).c_str(),
                    seconds(&session::OperatorTime::high).c_str());
    }
    std::printf("%s in all operators, medians of %d runs after %d to warm up added up\n",
                format_seconds(times.seconds).c_str(), times.repeats, times.warmup);
    if (times.unmatched > 0)
        std::printf("%s not the same in every run and %s no time\n",
                    counted(times.unmatched, "event was", "events were").c_str(),
                    times.unmatched == 1 ? "has" : "have");
}

void print_stats(const session::Recording& recording) {
    std::printf("%5s %-8s %-32s %-28s %-18s %-8s %10s %10s %11s %11s %11s %11s %6s %6s  %s  %s\n", "event", "phase",
                "operator", "scope", "shape", "dtype", "time", "bytes", "min", "max", "mean", "std", "nan", "inf",
                "origin", "set-up");
    for (session::EventId id = 1; id <= recording.event_count(); ++id) {
        const session::Event& event = recording.event(id);
        const session::Value* out =
            event.outputs.empty() || event.outputs[0] == 0 ? nullptr : &recording.value(event.outputs[0]);
        std::printf("%5u %-8s %-32s %-28s ", id, std::string(session::phase_name(event.phase)).c_str(),
                    std::string(event.op).c_str(), std::string(event.scope).c_str());
        std::printf("%-18s %-8s %10s %10s", out != nullptr ? session::shape_text(out->shape).c_str() : "-",
                    out != nullptr ? std::string(out->dtype).c_str() : "-", format_seconds(event.duration).c_str(),
                    out != nullptr ? format_bytes(static_cast<double>(out->bytes)).c_str() : "-");
        if (out != nullptr && out->statistics) {
            const auto& s = *out->statistics;
            if (s.finite)
                std::printf(" %11.4g %11.4g %11.4g %11.4g", s.finite->min, s.finite->max, s.finite->mean,
                            s.finite->standard_deviation());
            else
                std::printf(" %47s", session::finite_share_text(s).c_str());
            std::printf(" %6lld %6lld", static_cast<long long>(s.nan_count), static_cast<long long>(s.inf_count));
            if (s.finite && s.has_nan_or_inf()) std::printf("  %s", session::finite_share_text(s).c_str());
        }
        if (event.not_finite != session::NotFinite::None)
            std::printf("  %s", std::string(session::not_finite_name(event.not_finite)).c_str());
        if (const std::string setup = event.setup.text(); !setup.empty())
            std::printf("%*s%s", out != nullptr && out->statistics ? 2 : 64, "", setup.c_str());
        if (event.is_cold) std::printf("  (first call)");
        if (const std::string device = event.device.text(); !device.empty()) std::printf("  (%s)", device.c_str());
        std::printf("%s%s\n", event.failed ? "  FAILED: " : "", event.error.c_str());
    }
    for (const session::Fallback& fallback : session::fallbacks_of(recording))
        std::printf("%s\n", fallback.text().c_str());
    const session::MemoryBook book(recording);
    for (const session::DeviceMemory& device : book.by_device(static_cast<session::EventId>(recording.event_count())))
        std::printf("memory of %s\n", device.text().c_str());
}

}  // namespace loupe::cli
