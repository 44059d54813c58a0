// SPDX-License-Identifier: Apache-2.0
#pragma once
// Keeps the last run, the model and the training in a folder while they are under way, for a session after this one.
// Nothing is kept until keep_in() names a folder; what cannot be written is logged, and the session continues without.
// Used on the engine thread alone.

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "core/base/said.h"
#include "core/record/run_journal.h"
#include "core/session/current_training.h"
#include "core/session/model_holder.h"
#include "core/session/publisher.h"
#include "core/session/shown_run.h"

namespace loupe::session {

class SessionKeeper {
  public:
    SessionKeeper(Publisher& publisher, const ModelHolder& model, CurrentTraining& training)
        : publisher_(publisher), model_(model), training_(training) {}

    // The run that is shown is kept from now on. An empty path: nothing is.
    void keep_in(const std::filesystem::path& folder, const ShownRun& shown);
    bool is_keeping() const { return journal_ != nullptr; }
    // Writes what was recorded, and keeps nothing more.
    void end() { journal_.reset(); }

    // A run begins to be shown.
    void begin_run(const ShownRun& shown, RunJournal::When when);
    // Once a run parks or ends: its events are written, and gradients as soon as there is time.
    void write_now();
    void set_gradients_due(bool are_due) { are_gradients_due_ = are_due; }
    // A piece of what is still to be kept. True: there is more.
    bool keep_more(const ShownRun& shown);
    // From inside a run.
    void keep_while_running(const ShownRun& shown);
    // What is kept of the model is written again: it says something else of it.
    void renew_model() { kept_tensors_.clear(); }
    // Another model takes the place of this one.
    void forget();

    // A training begins: what ran before has other weights.
    void begin_training();
    // Not more often than a fiftieth of the time allows.
    void keep_checkpoint();
    void keep_last_checkpoint();
    // The checkpoint of these steps is in the folder already.
    void note_checkpoint(std::int64_t steps_done) { checkpoint_step_ = steps_done; }
    // What the steps of a training from here on begin with: they can be run again by another process.
    void keep_training_start();

  private:
    using Clock = std::chrono::steady_clock;

    void warn(const Said& what) const;
    void log_journal_failure();
    void keep_model(const ShownRun& shown);
    bool can_keep_checkpoint() const;
    void write_checkpoint();
    bool keep_elements(const ShownRun& shown);

    Publisher& publisher_;
    const ModelHolder& model_;
    CurrentTraining& training_;

    std::unique_ptr<RunJournal> journal_;  // null: nothing is kept
    bool are_gradients_due_ = false;
    bool is_failure_logged_ = false;
    std::string kept_tensors_;  // state_of_tensors of the model that is kept; empty: none is
    Clock::time_point checkpoint_due_{};
    std::int64_t checkpoint_step_ = -1;  // of the last one
};

}  // namespace loupe::session
