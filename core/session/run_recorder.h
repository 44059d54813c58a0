// SPDX-License-Identifier: Apache-2.0
#pragma once
// Records runs and steps of trainings, and parks the engine thread where they are to stop. Holds what is shown of the
// last one. Used on the engine thread alone.

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/base/said.h"
#include "core/runtime/interpreter/print.h"
#include "core/session/current_training.h"
#include "core/session/model_holder.h"
#include "core/session/publisher.h"
#include "core/session/run_control.h"
#include "core/session/session_keeper.h"
#include "core/session/shown_run.h"
#include "core/session/work_queue.h"

namespace loupe::session {

// A run that the one that begins is to come out as; once it parks or ends the log says whether it did.
struct RepeatedRun {
    std::shared_ptr<const Recording> recording;  // null: none
    // From this event on it is another one, and before it stops nowhere; 0: the run of a session before, all of it.
    EventId until = 0;
    Said why;                            // "from the start of `Net.forward`": where it goes its own way
    std::optional<EditStart> edit = {};  // that makes it go its own way
};

class RunRecorder {
  public:
    RunRecorder(Publisher& publisher, WorkQueue& queue, RunControl& control, ModelHolder& model,
                const CurrentTraining& training, SessionKeeper& keeper);

    ShownRun& shown() { return shown_; }
    const ShownRun& shown() const { return shown_; }
    // Nothing is shown any more.
    void forget();
    // What is shown is put away, and comes back.
    ShownRun take();
    void show_again(ShownRun run);

    // A run begins, recorded or not. Conditions of breakpoints that it cannot meet are named in the log.
    void begin_control(bool pause_at_start);
    // The shown run's method on its arguments. on_result: sees what forward gives. Throws what the run throws.
    void record_run(const RunOptions& options, RepeatedRun repeated,
                    const std::function<void(const IValue&)>& on_result = {});
    // step: computes the trainer's step. Throws what it throws.
    void record_step(Trainer& trainer, const RunOptions& last, const std::function<void()>& step);

    // Changes a value of the run that is parked: see Recorder::change. Throws Error (Usage) where none is.
    EventId change(const ValueChange& change);

    // What the program that runs reports, at the last event of the run.
    void log(Publisher::Level level, Said text, SourcePlace source = {}) const;
    // Printed lines go to the log.
    runtime::PrintHandler print_to_log() const;

  private:
    void begin_recording(RecorderOptions options, const FunctionSchema& schema);
    void observe(const std::function<void()>& work, const std::function<void()>& finish);
    void publish_reached();
    void park(const StopPoint& next, const StopReason& why);
    void compare_with_repeated();
    void report_continued(const RepeatedRun& before, const Recording& now) const;
    void complain(const Breakpoint& breakpoint, const Said& why) const;

    Publisher& publisher_;
    WorkQueue& queue_;
    RunControl& control_;
    ModelHolder& model_;
    const CurrentTraining& training_;
    SessionKeeper& keeper_;

    ShownRun shown_;
    RepeatedRun repeated_;
};

}  // namespace loupe::session
