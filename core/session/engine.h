// SPDX-License-Identifier: Apache-2.0
#pragma once
// The engine of a session: joins the queue of its work, the model, and what runs, trains and keeps it. Orders are put
// in the queue; everything else is handed to the part whose job it is.

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/session/breakpoint_moves.h"
#include "core/session/current_training.h"
#include "core/session/generation_driver.h"
#include "core/session/model_holder.h"
#include "core/session/model_opener.h"
#include "core/session/publisher.h"
#include "core/session/references.h"
#include "core/session/run_control.h"
#include "core/session/run_driver.h"
#include "core/session/run_recorder.h"
#include "core/session/run_repeater.h"
#include "core/session/session_keeper.h"
#include "core/session/settings.h"
#include "core/session/source_edits.h"
#include "core/session/training_driver.h"
#include "core/session/training_follower.h"
#include "core/session/training_replay.h"
#include "core/session/work_queue.h"

namespace loupe::session {

class Engine final : private WorkQueue::Owner, private ModelHolder::Dependents {
  public:
    using TrainFrom = session::TrainFrom;

    explicit Engine(SessionListener* listener);
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;
    ~Engine();

    // --- orders; any thread ---
    // kept: the folder of a session before that keeps this model; see Session::open_kept.
    // inputs: what the model has then; none: as guessed.
    void open(const std::filesystem::path& file, const std::string& build, std::function<void()> opened,
              const std::filesystem::path& kept = {}, const std::vector<InputSpec>& inputs = {});
    // Likewise: fails with that, since what it needs was not given.
    void fail_to_open(const Error& error);
    void close();
    void set_form(ModelForm form, std::function<void(std::string)> reply);
    void run(const RunOptions& options, const RunTarget& target);
    void train(const TrainOptions& options, TrainFrom from, std::int64_t pause_in = 0);
    void look_at_step(std::int64_t step);
    void return_to_end();
    void generate(const GenerateRequest& request);
    void order_program(ProgramOrder order, std::int64_t value) { follower_.order(order, value); }
    // As far as that from where it is parked; else in the run that is under way; else in a new one.
    void go_on(const RunTarget& target);
    void stop() { queue_.stop(); }
    // Runs on the engine thread, also while a run is parked; a newer one with the same tag takes its place.
    void request(const std::string& tag, std::function<void()> work) { queue_.request(tag, std::move(work)); }
    void wait_idle() { queue_.wait_idle(); }

    // --- settings and state; any thread ---
    void permit_source(const std::filesystem::path& source, const FilePermissions& permissions) {
        settings_.permit(source, permissions);
    }
    FilePermissions permissions_of(const std::filesystem::path& source) const {
        return settings_.permissions_of(source);
    }
    std::optional<TorchRelease> release_of(const std::filesystem::path& source) const {
        return settings_.release_of(source);
    }
    void set_torch_release(const std::filesystem::path& source, TorchRelease release) {
        settings_.set_release(source, release);
    }
    RunControl& control() { return control_; }
    BreakpointMoves& moves() { return moves_; }
    void move_breakpoints(const std::string& file, const std::string& text) { moves_.move_lines(file, text); }
    std::vector<InputSpec> inputs() const { return settings_.inputs(); }
    void set_inputs(std::vector<InputSpec> inputs) { settings_.set_inputs(std::move(inputs)); }
    RunOptions last_options() const { return settings_.options(); }
    Status status() const { return publisher_.status(); }
    std::shared_ptr<const ModelInfo> model() const { return publisher_.model(); }
    std::shared_ptr<const Recording> recording() const { return publisher_.recording(); }
    std::shared_ptr<const TrainingLog> training() const { return publisher_.training(); }
    std::vector<std::shared_ptr<const TrainingLog>> trainings() const { return publisher_.trainings(); }
    std::shared_ptr<const Generation> generation() const { return publisher_.generation(); }
    void log(SessionListener::LogEntry entry) { publisher_.log(std::move(entry)); }

    // --- the engine thread: the model ---
    const std::shared_ptr<Program>& program() const { return model_.program(); }
    // The model there is, or that a recording is of. Throws Error (Usage) when there is none, and what opening throws.
    std::shared_ptr<Program> model_or_recorded() { return model_.program_or_recorded(); }
    std::shared_ptr<const TextModel> text_model() { return model_.text_model(); }
    // Tokens whose keys and values the shown run was given in a cache.
    const std::vector<std::int64_t>& held_ids() const { return recorder_.shown().held_ids; }
    CompiledProgram compile(const CompileRequest& request) { return model_.compile(request); }
    WeightsReport load_weights(const std::filesystem::path& file, bool strict) {
        return model_.load_weights(file, strict);
    }

    // --- the engine thread: the run that is shown, and the training ---
    const RunOptions& ran() const { return recorder_.shown().ran; }
    const Recorder* recorder() const { return recorder_.shown().recorder.get(); }
    const PreparedMethod* ran_method() const { return recorder_.shown().method.get(); }
    // What the recorder holds is a run that ended in an error, and nothing was opened since.
    bool run_failed() const { return recorder_.shown().failed; }
    // See RunRepeater.
    const RecordingFile* recording_file() const { return repeater_.recording_file(); }
    Tensor elements(ValueId id, std::size_t ahead = 0) { return repeater_.elements(id, ahead); }
    bool is_recomputed(ValueId id) const { return repeater_.is_recomputed(id); }
    std::shared_ptr<const OperatorTimes> time_operators(const OperatorTimesRequest& request) {
        return repeater_.time_operators(request);
    }
    MemoryForecast forecast(const std::vector<WhatIf>& changes) { return repeater_.forecast(changes); }
    WhatIfMeasurement measure_what_if(const std::shared_ptr<Program>& program, const std::vector<WhatIf>& changes) {
        return repeater_.measure_what_if(program, changes);
    }
    ContinuedEdit continue_edit(const EditRequest& request) { return edits_.continue_with(request); }
    EventId change_value(const ValueChange& change) { return recorder_.change(change); }
    // Null: nothing was trained.
    const Trainer* trainer() const { return training_.trainer.get(); }

    // --- the engine thread: what is kept for another session; see Session ---
    void keep_in(const std::filesystem::path& folder) { keeper_.keep_in(folder, recorder_.shown()); }
    RestoredRun restore_run(const std::filesystem::path& folder) { return runs_.restore(folder); }
    std::string restore_training(const std::filesystem::path& file) { return trainings_.restore(file); }
    std::string save_restored(const std::filesystem::path& file, const std::string& attached) {
        return runs_.save_restored(file, attached);
    }
    bool shows_restored_run() const { return recorder_.shown().restored != nullptr; }

  private:
    void work();
    void order_run(const RunTarget& target, std::function<void()> work);
    void change_form(ModelForm form, const std::function<void(std::string)>& reply);

    // WorkQueue::Owner
    void report_failure(const Error& error) override;
    void report_no_memory() override;
    void report_request_failure(const std::string& text) override;
    bool work_ahead() override;
    // ModelHolder::Dependents
    void release_run() override { recorder_.forget(); }
    void release_model() override;

    // Each part knows parts above it.
    Publisher publisher_;
    Settings settings_;
    WorkQueue queue_;
    RunControl control_;
    BreakpointMoves moves_;
    ModelHolder model_;
    ModelOpener opener_;
    CurrentTraining training_;
    SessionKeeper keeper_;
    RunRecorder recorder_;
    RunDriver runs_;
    RunRepeater repeater_;
    TrainingDriver trainings_;
    TrainingReplay replay_;
    TrainingFollower follower_;
    GenerationDriver generations_;
    References references_;
    SourceEdits edits_;
    bool has_released_ = false;  // a model, since free memory was last returned
};

}  // namespace loupe::session
