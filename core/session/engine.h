// SPDX-License-Identifier: Apache-2.0
#pragma once
// The engine thread of a session: a queue of work, one run at a time, parked or not.

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>

#include "core/base/cancel.h"
#include "core/base/deep_thread.h"
#include "core/model/program.h"
#include "core/record/backward_roots.h"
#include "core/record/operator_times.h"
#include "core/record/recorder.h"
#include "core/record/recording_file.h"
#include "core/record/replay.h"
#include "core/record/run_journal.h"
#include "core/record/run_phases.h"
#include "core/runtime/interpreter/print.h"
#include "core/session/breakpoint_moves.h"
#include "core/session/kept_model.h"
#include "core/session/restored_run.h"
#include "core/session/run_control.h"
#include "core/session/session_listener.h"
#include "core/study/compile_program.h"
#include "core/study/measure_what_if.h"
#include "core/study/verdict.h"
#include "core/train/trainer.h"

namespace loupe::python {
struct FileNotice;
}

namespace loupe::session {

class Engine {
  public:
    explicit Engine(SessionListener* listener);
    ~Engine();

    // --- any thread ---
    // kept: the folder of a session before that keeps this model; see Session::open_kept.
    void open(const std::filesystem::path& file, const std::string& build, std::function<void()> opened,
              const std::filesystem::path& kept = {});
    void close();
    void permit_source(const std::filesystem::path& source, const FilePermissions& permissions);
    FilePermissions permissions_of(const std::filesystem::path& source) const;
    void set_form(ModelForm form, std::function<void(std::string)> reply);
    void run(const RunOptions& options);
    enum class TrainFrom { Start, Here };
    void train(const TrainOptions& options, TrainFrom from);
    std::shared_ptr<const TrainingLog> training() const;
    std::vector<std::shared_ptr<const TrainingLog>> trainings() const;
    void look_at_step(std::int64_t step);
    void return_to_end();
    // Goes on from where it is parked, or begins a run that parks at its first point.
    void go_on();
    void stop();
    // Runs on the engine thread, also while a run is parked; a newer one with the same tag takes its place.
    void request(const std::string& tag, std::function<void()> work);
    void wait_idle();

    RunControl& control() { return control_; }
    void move_breakpoints(const std::string& file, const std::string& text) { moves_.move_lines(file, text); }
    BreakpointMoves& moves() { return moves_; }
    Status status() const;
    std::shared_ptr<const ModelInfo> model() const;
    std::shared_ptr<const Recording> recording() const;
    std::vector<InputSpec> inputs() const;
    void set_inputs(std::vector<InputSpec> inputs);
    RunOptions last_options() const;
    WhatIfMeasurement measure_what_if(const std::shared_ptr<Program>& program, const std::vector<WhatIf>& changes);
    std::shared_ptr<const OperatorTimes> time_operators(const OperatorTimesRequest& request);
    MemoryForecast forecast(const std::vector<WhatIf>& changes);
    void log(SessionListener::LogEntry entry);

    // --- the engine thread ---
    const std::shared_ptr<Program>& program() const { return program_; }
    // The model there is, or that a recording is of. Throws Error (Usage) when there is none, and what opening throws.
    std::shared_ptr<Program> model_or_recorded();
    const RunOptions& ran() const { return ran_; }
    // Of the model there is on the inputs as they are; listeners are told. Throws as compile_program.
    CompiledProgram compile(const CompileRequest& request);
    const Recorder* recorder() const { return recorder_.get(); }
    // What the recorder holds is a run that ended in an error, and nothing was opened since.
    bool run_failed() const { return run_failed_; }
    // Null: nothing was trained.
    const Trainer* trainer() const { return trainer_.get(); }
    // Into the model there is; tells of a model that is described anew.
    WeightsReport load_weights(const std::filesystem::path& file, bool strict);
    // Of a value of the last run, or of the recording that was opened; undefined when they were not kept. Those that
    // were dropped are computed again, with others behind them while they are within `ahead` bytes. Throws Error (Run)
    // when they do not come out the same.
    Tensor elements(ValueId id, std::size_t ahead = 0);
    bool is_recomputed(ValueId id) const { return recorder_ != nullptr && recorder_->values().is_recomputed(id); }
    // Of a recorded run that was opened, or of one that was kept and came back; null for a model that ran, or did not.
    const RecordingFile* recording_file() const { return file_ ? file_.get() : restored_.get(); }
    // See Session; engine_keeping.cpp.
    void keep_in(const std::filesystem::path& folder);
    RestoredRun restore_run(const std::filesystem::path& folder);
    std::string restore_training(const std::filesystem::path& file);
    std::string save_restored(const std::filesystem::path& file);
    bool shows_restored_run() const { return restored_ != nullptr; }

  private:
    enum class JobKind { Command, Request };
    struct Job {
        JobKind kind;
        std::string tag;
        std::function<void()> work;
    };

    void loop();
    void enqueue(Job job);
    bool is_run_waiting() const;
    bool run_next_request(std::unique_lock<std::mutex>& lock);
    void execute(const std::function<void()>& work);
    void execute_whatever_comes(const std::function<void()>& work) noexcept;
    void execute_request(const std::function<void()>& work) noexcept;

    std::string built_before(const std::filesystem::path& file) const;
    void do_open(const std::filesystem::path& file, const std::string& given, const std::filesystem::path& kept);
    std::optional<KeptModel> read_kept(const std::filesystem::path& folder);
    void show_source_of(const std::filesystem::path& file, const std::string& build, const Error& why);
    void do_open_recording(const std::filesystem::path& file);
    void log_recorded(const RecordingFile& file);
    void use(std::shared_ptr<Program> opened);
    void do_set_form(ModelForm form);
    void change_form(Program& program, ModelForm form) const;
    std::shared_ptr<PreparedMethod> prepare(RunOptions& options);
    runtime::PrintHandler print_to_log();
    void log_notice(const python::FileNotice& notice);
    void tell_of_trace();
    void log_trace();
    void do_close();
    void drop_model();
    void show_model(std::shared_ptr<const ModelInfo> info);
    void hold_weights(nn::Module& opened);
    std::vector<InputSpec> inputs_for(const Program& opened, const std::vector<InputSpec>& before);
    void do_run(const RunOptions& options);
    void do_train(const TrainOptions& options, TrainFrom from);
    void train_steps(Trainer& trainer);
    void serve_requests();
    bool train_step(Trainer& trainer, bool recorded);
    void record_step(Trainer& trainer, const std::function<void()>& step);
    void find_origin(Trainer& trainer, const std::string& what);
    void begin_training(const TrainOptions& options, TrainFrom from);
    void leave_past();
    void enlist(std::shared_ptr<TrainingLog> log);
    void keep_state(Trainer& trainer, bool must_stay);
    void log_findings(const std::vector<TrainingFinding>& findings);
    std::shared_ptr<const Verdict> log_training(const Trainer& trainer, std::int64_t steps_before);
    void do_look_at_step(std::int64_t step);
    void replay_until(Trainer& trainer, std::int64_t last);
    void do_return_to_end();
    // What is shown of the last run, put away while an earlier step of a training is looked at.
    struct ShownRun;
    ShownRun take_run();
    void show_again(ShownRun run);
    bool note_training(Status& status) const;
    void tell_of_training();
    void show_graph(const PreparedMethod& method, const std::string& pipeline);
    void run_recorded(const PreparedMethod& method, const RunOptions& options);
    void forget_run();
    void recompute(ValueId id, std::size_t ahead);
    void log_of_run(SessionListener::LogEntry::Level level, std::string text, SourcePlace source);
    void park(const StopPoint& next, const StopReason& why);
    // A piece of what is still to be kept. True: there is more.
    bool keep_more();
    void keep_run(RunJournal::When when);
    void keep_while_running();
    void keep_checkpoint(bool is_last);
    // The model as it is, where it has changed since it was kept.
    void keep_model_now();
    // What the steps of a training from here on begin with: they can be run again by another process.
    void keep_training_start();
    // Says whether the run came out, as far as it is, as that of the session before that it repeats; once.
    void compare_with_restored();
    bool repeats_restored(RunOptions options) const;
    void restore_training_starts(const std::filesystem::path& folder, std::int64_t steps_done);
    void tell_of_journal();
    void forget_kept();
    // Conditions that no run of this model can meet are named in the log.
    void begin_control(bool pause_at_start);
    void complain(const Breakpoint& breakpoint, const std::string& why);
    void report_failure(const Error& error);
    std::shared_ptr<const Verdict> verdict_of(const std::shared_ptr<const Recording>& recording,
                                              const RunOptions& options, RunFacts facts) const;
    void log_verdict(const Verdict& verdict);
    std::shared_ptr<const Verdict> opening_verdict_;  // of the source that is open; null: its model is finite

    template <typename Change>
    void change_status(Change&& change) {
        Status copy;
        {
            const std::lock_guard lock(mutex_);
            change(status_);
            copy = status_;
        }
        if (listener_ != nullptr) listener_->on_status(copy);
    }

    SessionListener* listener_;
    RunControl control_;
    BreakpointMoves moves_;

    mutable std::mutex mutex_;
    std::condition_variable wake_;
    std::condition_variable idle_;
    std::deque<Job> queue_;
    bool quit_ = false;
    bool busy_ = false;
    bool is_commanded_ = false;  // busy with a command: what only asks is no reason to wait with the next
    bool parked_ = false;
    bool serving_ = false;  // a request, while parked
    bool resume_ = false;
    CancelFlag cancel_{false};
    Status status_;
    std::shared_ptr<const ModelInfo> info_;
    std::shared_ptr<const Recording> recording_;
    std::vector<InputSpec> inputs_;
    RunOptions options_;
    std::shared_ptr<const TrainingLog> training_;
    std::vector<std::shared_ptr<const TrainingLog>> trainings_;
    std::string trainings_of_;                            // the file of their model
    std::map<std::string, FilePermissions> permissions_;  // of model sources, by path

    // The engine thread's own.
    std::shared_ptr<Program> program_;
    std::string weights_from_;  // what the model's weights were given by since it was opened; empty: nothing
    std::vector<IValue> arguments_;
    std::unique_ptr<Recorder> recorder_;
    bool run_failed_ = false;
    // What it takes to repeat the recorded run.
    std::shared_ptr<const PreparedMethod> method_;
    std::unique_ptr<const RunStart> start_;
    RunBody body_;
    std::unique_ptr<const BackwardSource> backward_source_;  // null: forward alone
    std::optional<MeasuredRun> step_to_measure_;             // when the recording is of a step of a training
    RunOptions ran_;
    std::unique_ptr<ShownRun> end_run_;  // of the end of the training; set with training_end_
    std::unique_ptr<Trainer> trainer_;
    TrainerStates training_states_;
    double state_cost_ = 0;  // seconds that keeping one took
    double work_since_state_ = 0;
    std::unique_ptr<TrainerState> training_end_;  // set while the trainer is at an earlier step
    std::unique_ptr<RecordingFile> file_;
    std::unique_ptr<RecordingFile> restored_;  // the last run of the model, from a session before
    std::unique_ptr<RunJournal> journal_;      // null: nothing is kept
    bool are_gradients_due_ = false;
    bool is_journal_told_of_ = false;
    RandomState opening_random_;                 // before the model was made
    std::string kept_tensors_;                   // state_of_tensors of the model that is kept; empty: none is
    std::string other_model_;                    // why a model that was kept did not come back as it was
    std::shared_ptr<const Recording> repeated_;  // of the session before, while it is run again
    bool is_training_back_ = false;              // the training is of a session before
    std::chrono::steady_clock::time_point checkpoint_due_{};
    std::int64_t checkpoint_step_ = -1;          // of the last one
    std::shared_ptr<Program> recorded_program_;  // opened when somebody wants more than the recording holds

    DeepThread thread_;  // last: it uses everything above
};

struct Engine::ShownRun {
    std::unique_ptr<Recorder> recorder;
    bool failed = false;
    std::shared_ptr<const PreparedMethod> method;
    std::unique_ptr<const RunStart> start;
    RunBody body;
    std::unique_ptr<const BackwardSource> backward_source;
    std::optional<MeasuredRun> step_to_measure;
    std::unique_ptr<RecordingFile> restored;
    std::vector<IValue> arguments;
    RunOptions ran;
};

}  // namespace loupe::session
