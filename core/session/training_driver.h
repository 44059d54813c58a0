// SPDX-License-Identifier: Apache-2.0
#pragma once
// Trains the model: step after step, recording those that are to be looked at, keeping states from which steps can be
// run again, and ending at the origin of numbers that are not finite. Used on the engine thread alone.

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/session/run_recorder.h"

namespace loupe::session {

enum class TrainFrom { Start, Here };

class TrainingDriver {
  public:
    TrainingDriver(Publisher& publisher, const Settings& settings, WorkQueue& queue, RunControl& control,
                   ModelHolder& model, CurrentTraining& training, RunRecorder& recorder, SessionKeeper& keeper)
        : publisher_(publisher),
          settings_(settings),
          queue_(queue),
          control_(control),
          model_(model),
          training_(training),
          recorder_(recorder),
          keeper_(keeper) {}

    // See Session::train and Session::train_on. pause_in: a step, from 1, that is parked in; 0: none.
    void train(const TrainOptions& options, TrainFrom from, std::int64_t pause_in = 0);
    // The training of a checkpoint, as if it had been stopped just now. Empty, or why only the weights, or nothing,
    // came back.
    std::string restore(const std::filesystem::path& checkpoint);

  private:
    void begin(const TrainOptions& options, TrainFrom from);
    void begin_anew(const TrainOptions& options);
    void leave_past();
    void train_steps(std::int64_t pause_in);
    bool train_step(bool is_recorded);
    void add_to_log(TrainingStep done, bool is_recorded);
    void find_origin(const Said& what);
    void keep_state(bool must_stay);
    void publish_progress();
    std::shared_ptr<const Verdict> conclude(std::int64_t steps_before);
    void log_findings(const std::vector<TrainingFinding>& findings);
    std::string restore_from(const std::filesystem::path& checkpoint);
    void restore_starts(const std::filesystem::path& folder, std::int64_t steps_done);

    Publisher& publisher_;
    const Settings& settings_;
    WorkQueue& queue_;
    RunControl& control_;
    ModelHolder& model_;
    CurrentTraining& training_;
    RunRecorder& recorder_;
    SessionKeeper& keeper_;

    double state_cost_ = 0;  // seconds that keeping one took
    double work_since_state_ = 0;
};

}  // namespace loupe::session
