// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/cli/options.h"
#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/strings.h"
#include "core/record/operator_times.h"
#include "core/record/run_phases.h"
#include "core/study/compile_program.h"

namespace loupe::cli {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point from) { return std::chrono::duration<double>(Clock::now() - from).count(); }

void step(const PreparedRun& run, const RunArguments& options) {
    if (!options.stats) {
        execute(run);
        return;
    }
    session::Recorder recorder({.statistics = true, .values = false}, run.method->build_graph(), nullptr, nullptr);
    {
        const ObserverScope observed(&recorder);
        execute(run);
    }
    recorder.finish();
}

// Neither statistics nor elements: only operators are timed.
std::shared_ptr<const session::Recording> record_once(const PreparedRun& run) {
    const auto recorder = make_recorder(run, {.statistics = false, .values = false});
    session::record(*run.program, *recorder, [&] { execute(run); });
    return recorder->recording();
}

int time_operators(const PreparedRun& run, const RunArguments& options) {
    const auto first = record_once(run);
    const session::OperatorTimesRequest request{.warmup = options.warmup, .repeats = options.repeat, .seconds = 1e9};
    const auto times = session::time_operators(*first, request, [&](int count, const auto& each) {
        for (int i = 0; i < count; ++i) each(*record_once(run));
    });
    if (!options.json) {
        print_operator_times(*first, *times);
        return 0;
    }
    nlohmann::json rows = nlohmann::json::array();
    for (session::EventId id = 1; id <= first->event_count(); ++id) {
        const session::Event& event = first->event(id);
        const session::OperatorTime* time = times->of(id);
        if (time == nullptr) continue;
        rows.push_back({{"event", id},
                        {"phase", session::phase_name(event.phase)},
                        {"operator", event.op},
                        {"scope", event.scope},
                        {"median", time->median},
                        {"low", time->low},
                        {"high", time->high}});
    }
    const nlohmann::json out{{"model", options.model},        {"backward", options.backward},
                             {"threads", thread_count()},     {"warmup", times->warmup},
                             {"repeat", times->repeats},      {"seconds", times->seconds},
                             {"unmatched", times->unmatched}, {"operators", rows}};
    std::printf("%s\n", out.dump().c_str());
    return 0;
}

}  // namespace

int run_bench(const RunArguments& options) {
    if (options.repeat < 1) throw Error(ErrorKind::Usage, "--repeat must be at least 1");
    const auto began = Clock::now();
    double open = 0;
    {
        confine_source(options.model, options.permissions, {});
        const auto opened = session::Program::open(options.model, options.weights,
                                                   build_text(options.build, options.arguments), options.permissions);
        open = seconds_since(began);
        if (opened->file().files != nullptr) opened->file().files->discard();  // it is opened again
    }
    const PreparedRun run = prepare_run(options);
    if (options.operators) return time_operators(run, options);
    for (int i = 0; i < options.warmup; ++i) step(run, options);
    session::wait_for_devices();
    std::vector<double> times;
    for (int i = 0; i < options.repeat; ++i) {
        const auto from = Clock::now();
        step(run, options);
        session::wait_for_devices();
        times.push_back(seconds_since(from));
    }
    std::sort(times.begin(), times.end());
    const double median = times[times.size() / 2];
    if (const std::string note = session::capture_note(*run.method); !note.empty()) options.notice(note);
    if (options.json) {
        const nlohmann::json out{{"model", options.model}, {"backward", options.backward}, {"threads", thread_count()},
                                 {"open", open},           {"repeat", options.repeat},     {"min", times.front()},
                                 {"median", median},       {"max", times.back()}};
        std::printf("%s\n", out.dump().c_str());
    } else {
        std::printf("minimum %s, median %s, maximum %s of %d\n", format_seconds(times.front()).c_str(),
                    format_seconds(median).c_str(), format_seconds(times.back()).c_str(), options.repeat);
    }
    return 0;
}

}  // namespace loupe::cli
