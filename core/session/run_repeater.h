// SPDX-License-Identifier: Apache-2.0
#pragma once
// Answers questions about the run that is shown by repeating it: values that were dropped, times of operators,
// forecasts and measurements of changes. What is shown, the model and the random numbers stay as they are. Used on the
// engine thread alone.

#include <memory>
#include <vector>

#include "core/record/operator_times.h"
#include "core/session/run_recorder.h"

namespace loupe::session {

class RunRepeater {
  public:
    RunRepeater(const Publisher& publisher, const Settings& settings, const WorkQueue& queue, const ModelHolder& model,
                const CurrentTraining& training, RunRecorder& recorder)
        : publisher_(publisher),
          settings_(settings),
          queue_(queue),
          model_(model),
          training_(training),
          recorder_(recorder) {}

    // The recording that was opened, or the run of a session before that came back; null for a model that ran, or did
    // not.
    const RecordingFile* recording_file() const;
    // Of a value of the last run, or of the recording that was opened; undefined when they were not kept. Those that
    // were dropped are computed again, with others behind them while they are within `ahead` bytes. Throws Error (Run)
    // when they do not come out the same.
    Tensor elements(ValueId id, std::size_t ahead);
    bool is_recomputed(ValueId id) const;
    // Of the last run: the recording has them from then on. Throws Error (Usage) while a run is under way.
    std::shared_ptr<const OperatorTimes> time_operators(const OperatorTimesRequest& request);
    MemoryForecast forecast(const std::vector<WhatIf>& changes);
    // Of the step of a training that was recorded last, else of the program on the inputs as they are.
    WhatIfMeasurement measure_what_if(const std::shared_ptr<Program>& program, const std::vector<WhatIf>& changes);

  private:
    void recompute(ValueId id, std::size_t ahead);
    void require_idle() const;

    const Publisher& publisher_;
    const Settings& settings_;
    const WorkQueue& queue_;
    const ModelHolder& model_;
    const CurrentTraining& training_;
    RunRecorder& recorder_;
};

}  // namespace loupe::session
