// SPDX-License-Identifier: Apache-2.0
// What-if against what is then measured: for each model, mixed precision and the best checkpoint, predicted and
// measured time and peak of memory.
//
//     build/bin/bench_what_if tests/fixtures/models/*.pt
#include <cmath>
#include <cstdio>
#include <filesystem>

#include "core/base/strings.h"
#include "core/session/queries/forecast.h"
#include "core/session/queries/what_if.h"
#include "core/session/session.h"
#include "core/study/what_if.h"

using namespace loupe;
using namespace loupe::session;

namespace {

void compare(Session& session, const std::string& model, const WhatIf& change) {
    const MemoryForecast reckoned = forecast_memory(*session.recording(), {change});  // before any kernel was measured
    MemoryForecast forecast;
    WhatIfMeasurement measured;
    session.ask("forecast", ForecastQuery{{change}}, [&](MemoryForecast found) { forecast = std::move(found); });
    session.wait_idle();
    session.ask("measure", WhatIfQuery{{change}}, [&](WhatIfMeasurement found) { measured = std::move(found); });
    session.wait_idle();
    const std::string what = what_if_text(change);
    if (!forecast.error.empty() || !measured.error.empty()) {
        std::printf("%-22s %-34s %s\n", model.c_str(), what.c_str(),
                    (forecast.error.empty() ? measured.error : forecast.error).c_str());
        return;
    }
    const auto percent = [](double a, double b) { return 100 * (a / b - 1); };
    std::printf("%-22s %-34s %10s %10s %10s %10s %6.0f %%", model.c_str(), what.c_str(),
                format_bytes(static_cast<double>(reckoned.peak)).c_str(),
                format_bytes(static_cast<double>(forecast.peak_before)).c_str(),
                format_bytes(static_cast<double>(forecast.peak)).c_str(),
                format_bytes(static_cast<double>(measured.peak)).c_str(),
                percent(static_cast<double>(forecast.peak), static_cast<double>(measured.peak)));
    if (!forecast.seconds)
        std::printf("   %s\n", forecast.notes.empty() ? "time not predicted" : forecast.notes.back().c_str());
    else {
        std::printf("   %9s %9s %6.0f %%   %9s -> %9s %9s %6.0f %%\n", format_seconds(*forecast.seconds_before).c_str(),
                    format_seconds(measured.seconds_before).c_str(),
                    percent(*forecast.seconds_before, measured.seconds_before), "",
                    format_seconds(*forecast.seconds).c_str(), format_seconds(measured.seconds).c_str(),
                    percent(*forecast.seconds, measured.seconds));
    }
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    std::printf("%-22s %-34s %10s %10s %10s %10s %8s   %9s %9s %8s   %23s %9s %8s\n", "model", "change", "reckoned",
                "peak now", "changed", "measured", "off", "as it is", "measured", "off", "changed", "measured", "off");
    for (int i = 1; i < argc; ++i) {
        const std::filesystem::path path(argv[i]);
        Session session;
        session.open(path);
        session.wait_idle();
        RunOptions options;
        options.method =
            session.model() && !session.model()->methods.empty() ? session.model()->methods.front().name : "forward";
        options.backward = true;
        options.statistics = false;
        options.threads = 1;  // others on the machine disturb several more than one
        session.run(options);
        session.wait_idle();
        if (session.status().state != RunState::Finished) {
            std::printf("%-22s %s\n", path.stem().c_str(), session.status().error.c_str());
            continue;
        }
        compare(session, path.stem(), {.kind = WhatIf::Kind::MixedPrecision, .module = {}});
        const auto advice = advise_checkpoints(*session.recording(), 1);
        if (!advice.empty())
            compare(session, path.stem(), {.kind = WhatIf::Kind::Checkpoint, .module = advice.front().module});
    }
    return 0;
}
