// SPDX-License-Identifier: Apache-2.0
#include "core/session/run_repeater.h"

#include <algorithm>
#include <set>

#include "core/base/error.h"
#include "core/study/precision_times.h"

namespace loupe::session {

void RunRepeater::require_idle() const {
    const Status status = publisher_.status();
    if (status.state == RunState::Paused || status.is_training)
        throw Error(ErrorKind::Usage, "a run is under way; stop it first");
}

const RecordingFile* RunRepeater::recording_file() const {
    return model_.file() != nullptr ? model_.file() : recorder_.shown().restored.get();
}

bool RunRepeater::is_recomputed(ValueId id) const {
    const Recorder* recorder = recorder_.shown().recorder.get();
    return recorder != nullptr && recorder->values().is_recomputed(id);
}

Tensor RunRepeater::elements(ValueId id, std::size_t ahead) {
    const Recorder* recorder = recorder_.shown().recorder.get();
    if (recorder == nullptr) return recording_file() != nullptr ? recording_file()->elements(id) : Tensor();
    if (recorder->values().was_dropped(id)) recompute(id, ahead);
    return recorder->values().find(id);
}

void RunRepeater::recompute(ValueId id, std::size_t ahead) {
    const ShownRun& shown = recorder_.shown();
    Recorder& recorder = *shown.recorder;
    std::set<ValueId> wanted{id};
    ahead = std::min(ahead, recorder.values().memory_budget());
    const Recording& recording = *recorder.recording();
    for (ValueId next = id + 1; next <= recording.value_count(); ++next) {
        const auto bytes = static_cast<std::size_t>(recording.value(next).bytes);
        if (bytes > ahead) break;
        if (!recorder.values().was_dropped(next)) continue;
        ahead -= bytes;
        wanted.insert(next);
    }
    recompute_values(*shown.start, *shown.method, shown.body, recorder, wanted, queue_.cancel_flag());
}

std::shared_ptr<const OperatorTimes> RunRepeater::time_operators(const OperatorTimesRequest& request) {
    require_idle();
    const ShownRun& shown = recorder_.shown();
    if (shown.recorder == nullptr)
        throw Error(ErrorKind::Usage, model_.file() != nullptr
                                          ? "a recording that was opened has no engine behind it; run it again first"
                                          : "nothing was recorded; run the model first");
    Recorder& recorder = *shown.recorder;
    const auto times = session::time_operators(*recorder.recording(), request, [&](int count, const auto& each) {
        repeat_run(*shown.start, *shown.method, shown.body, recorder, count, each, queue_.cancel_flag());
    });
    recorder.set_warm_times(times);
    return times;
}

MemoryForecast RunRepeater::forecast(const std::vector<WhatIf>& changes) {
    const ShownRun& shown = recorder_.shown();
    if (shown.recorder == nullptr || shown.recorder->recording()->warm_times() == nullptr) time_operators({});
    const Recording& recording = *shown.recorder->recording();
    const bool is_mixed = std::any_of(changes.begin(), changes.end(),
                                      [](const WhatIf& change) { return change.kind == WhatIf::Kind::MixedPrecision; });
    if (!is_mixed) return forecast_memory(recording, changes);
    require_idle();
    const PrecisionTimes precision = measure_precision(recording, [&](ExecutionObserver& probe) {
        observe_run(*shown.start, *shown.method, shown.body, *shown.recorder, probe, queue_.cancel_flag());
    });
    return forecast_memory(recording, changes, &precision);
}

WhatIfMeasurement RunRepeater::measure_what_if(const std::shared_ptr<Program>& program,
                                               const std::vector<WhatIf>& changes) {
    const auto& step = recorder_.shown().step_to_measure;
    if (!step || training_.trainer == nullptr) {
        RunOptions options = settings_.options();
        options.inputs = settings_.inputs();
        return session::measure_what_if(program, run_to_measure(program, options), changes);
    }
    training_.trainer->begin();
    const struct Rest {
        Trainer& trainer;
        ~Rest() { trainer.rest(); }
    } rest{*training_.trainer};
    return session::measure_what_if(program, *step, changes);
}

}  // namespace loupe::session
