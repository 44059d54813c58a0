// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs a step of the training again: from the nearest state that was kept to the step, which is recorded and parked in.
// The end of the training is kept, to be returned to. Used on the engine thread alone.

#include <cstdint>
#include <functional>

#include "core/session/run_recorder.h"

namespace loupe::session {

class TrainingReplay {
  public:
    TrainingReplay(Publisher& publisher, const Settings& settings, RunControl& control, CurrentTraining& training,
                   RunRecorder& recorder, SessionKeeper& keeper)
        : publisher_(publisher),
          settings_(settings),
          control_(control),
          training_(training),
          recorder_(recorder),
          keeper_(keeper) {}

    // See Session::look_at_step. Throws Error (Usage) for a step that cannot be run again, and what running throws.
    void look_at_step(std::int64_t step);
    // Model, optimiser, random numbers and what is shown, as at the end of the training.
    void return_to_end();

  private:
    const TrainerState& state_before(std::int64_t step) const;
    void begin(std::int64_t step);
    void go_back(const TrainerState& from, std::int64_t step);
    void replay_until(std::int64_t last);
    TrainingStep run_recorded();
    void settle();

    Publisher& publisher_;
    const Settings& settings_;
    RunControl& control_;
    CurrentTraining& training_;
    RunRecorder& recorder_;
    SessionKeeper& keeper_;
};

}  // namespace loupe::session
