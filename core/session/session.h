// SPDX-License-Identifier: Apache-2.0
#pragma once
// The only door between the engine and whoever shows it. One engine thread a session runs everything that touches
// tensors; all calls here return at once, and what comes back are values.

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/file_sandbox.h"
#include "core/model/build.h"
#include "core/model/data_sources.h"
#include "core/model/input_spec.h"
#include "core/model/model_info.h"
#include "core/model/pass_trace.h"
#include "core/model/weights.h"
#include "core/record/frame_values.h"
#include "core/record/gradient_row.h"
#include "core/record/operator_times.h"
#include "core/record/recording.h"
#include "core/record/run_options.h"
#include "core/record/tensor_slice.h"
#include "core/session/breakpoint.h"
#include "core/session/catalogue.h"
#include "core/session/restored_run.h"
#include "core/session/session_listener.h"
#include "core/session/status.h"
#include "core/study/compilation.h"
#include "core/study/fused_groups.h"
#include "core/study/memory_plan.h"
#include "core/study/pass_bisect.h"
#include "core/study/pass_check.h"
#include "core/train/training.h"

namespace loupe::session {

class Engine;
struct MemoryForecast;
struct WhatIf;
struct WhatIfMeasurement;

class Session {
  public:
    // Of requests: a newer one takes the place of one with the same tag that still waits.
    using Tag = std::string;
    template <typename T>
    using Reply = std::function<void(T)>;

    explicit Session(SessionListener* listener = nullptr);
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    // Stops what runs.
    ~Session();

    // Takes the place of the model there is. Ends in on_model and Ready, or Failed with the error. A recording ends in
    // on_model, on_recording and Finished, as if it had run just now; it has no engine behind it until it is run again.
    // build: of a model source, the expression that makes the model: "Net(10, width=64)". Without one it is what the
    // source says, or what it was opened with before when the same file is opened again; see ModelInfo::constructors.
    // opened: called when it is open, behind what listeners are told; not when it fails or is stopped.
    void open(const std::filesystem::path& file, const std::string& build = {}, std::function<void()> opened = {});
    // The same of a model of a session before, which keep_in() kept in the folder: it is made with the same random
    // numbers and gets the same weights. Where that cannot be, the log says so, and RestoredRun::other_model.
    void open_kept(const std::filesystem::path& file, const std::string& build, const std::filesystem::path& folder);
    void close();
    // What a model source may do with files besides what every source may, from its next opening on; kept while the
    // session lives. Replaces what it was permitted before.
    void permit_source(const std::filesystem::path& source, const FilePermissions& permissions);
    FilePermissions permissions_of(const std::filesystem::path& source) const;
    // Makes a model source run in another form, with the same parameters; Traced on the inputs as they are. Ends in
    // on_model and Ready. The reply is empty, or says why not: then it runs as before. An edited source is opened in
    // the same form. Not while a run is parked.
    void set_form(ModelForm form, std::function<void(std::string)> reply = {});

    void run(const RunOptions& options);
    void resume();  // continue from where it is parked
    void pause();   // at the next operator
    void stop();    // ends the run (or the opening, or a request); what was recorded stays
    // A training from its beginning; Failed while an earlier step of another is looked at. Steps run unobserved but for
    // those that are recorded to be looked at, and those that somebody wants to stop in: pause(), step(), breakpoints
    // work inside any step. A step that fails, or whose numbers are none, leaves the model as it was before the step
    // and is repeated recorded: Failed, at the event that began it.
    void train(const TrainOptions& options);
    // Goes on with the training that was stopped or is done; of the options those that can change do.
    void train_on(const TrainOptions& options);
    // Runs a step of the training again, from the nearest state that was kept, with the same batch, weights and random
    // numbers, and parks before its first operator. A training that runs is stopped. Ends Finished behind the step,
    // with Status::training_end set: the model is as it was there, until return_to_end(), or train_on(), which goes on
    // from there as a training of its own. A step that cannot be run again is Failed, and changes nothing.
    void look_at_step(std::int64_t step);
    // Model, optimiser and random numbers as at the end of the training, bit for bit.
    void return_to_end();
    void step(StepKind kind);          // starts a run when none is under way
    void run_to_node(int graph_node);  // continue until before it
    // Backward in a run that was begun without it: the run begins again with it, which the log says.
    void run_to_phase(RunPhase phase);
    // Until an operator makes a NaN or Inf, or turns an Inf into NaN; not where they are passed on or meant.
    void run_to_nan();
    // Of the run that was ordered last.
    RunOptions run_options() const;
    // Continues until before the event of that number.
    void run_to_event(EventId event);

    // From now on the last run is kept in the folder while it goes on (see run_journal.h), the model as "model.pt", and
    // of a training the last checkpoint as "training.pt" and those that it began with: for another process, when this
    // one ends without a word. Costs at most 2 % of a training and a second of delay. An empty path: no longer. The
    // folder must be there.
    void keep_in(const std::filesystem::path& folder);
    // Shows the run that the folder keeps as the last run of the model that is open. Ready afterwards: nothing is
    // parked.
    void request_restore_run(const Tag& tag, const std::filesystem::path& folder, Reply<RestoredRun> reply);
    // The model, optimiser and curves of a checkpoint, as if its training had been stopped just now; train_on() goes
    // on. The reply is empty, or says why only the weights, or nothing, came back.
    void request_restore_training(const Tag& tag, const std::filesystem::path& file, Reply<std::string> reply);

    int add_breakpoint(const Breakpoint& breakpoint);  // returns its id
    void update_breakpoint(const Breakpoint& breakpoint);
    void remove_breakpoint(int id);
    std::vector<Breakpoint> breakpoints() const;
    // Of models that were open before, by their paths: they are set again when the model is opened again.
    std::map<std::string, std::vector<Breakpoint>> breakpoints_elsewhere() const;
    // The same of a session before. Not for the model that is open. Throws Error (Usage) for a condition that is none.
    void set_breakpoints_elsewhere(const std::string& path, std::vector<Breakpoint> breakpoints);
    // The file is being edited and has this text now: breakpoints on its lines move with them. An edited line keeps its
    // own; with a deleted line it is removed, which the log tells. Lines count in this text from now on, until the file
    // is opened again, when they move to what it has become by the same rules.
    void move_breakpoints(const std::string& file, const std::string& text);

    // The state now; any thread.
    Status status() const;
    std::shared_ptr<const ModelInfo> model() const;
    std::shared_ptr<const Recording> recording() const;
    // Null: nothing was trained since the model was opened.
    std::shared_ptr<const TrainingLog> training() const;
    // Of the model file that is open, the first first, also across its being opened again; the last is training().
    std::vector<std::shared_ptr<const TrainingLog>> trainings() const;
    // Inputs as guessed, given or last used.
    std::vector<InputSpec> inputs() const;
    void set_inputs(std::vector<InputSpec> inputs);

    // Requests run on the engine thread (also while it is parked); the reply is called there. A newer request with the
    // same tag replaces one that still waits, whose reply is never called.
    void request_tensor(const Tag& tag, const TensorRequest& request, Reply<TensorSlice> reply);
    void request_gradients(const Tag& tag, Reply<std::vector<GradientRow>> reply);
    void request_passes(const Tag& tag, const std::string& pipeline, const std::string& method, Reply<PassTrace> reply);
    // Runs the graph after every pass on the inputs and holds the outputs against the first graph's. Not while a run is
    // parked.
    void request_pass_check(const Tag& tag, const std::string& pipeline, const std::string& method,
                            Reply<PassChecks> reply);
    // Finds the pass that changed the result, on the inputs as they are. Not while a run is parked.
    void request_pass_bisect(const Tag& tag, const PassBisectOptions& options, Reply<PassBisect> reply,
                             Reply<PassBisectProgress> progress = {});
    // Runs a trace and the source it is of on other inputs, and says what differs. Not while a run is parked.
    void request_trace_check(const Tag& tag, Reply<TraceCheck> reply);
    // Compiles a method on the inputs as they are and says what came of it: also to on_compiled. Not while a run is
    // parked.
    void request_compile(const Tag& tag, const CompileRequest& request, Reply<CompileReport> reply);
    // Runs the graph after the pipeline once on the inputs (and backward), leaving parameters, gradients, buffers and
    // random numbers as they were, and says what its fusion groups became. Not while a run is parked.
    void request_fused_groups(const Tag& tag, const FusedGroupsRequest& request, Reply<FusedGroups> reply);
    // Runs the graph as planned programs and tells how memory is laid out, and where the graph breaks. Not while a run
    // is parked.
    void request_memory_plan(const Tag& tag, const std::string& pipeline, const std::string& method,
                             Reply<MemoryPlanReport> reply);
    // Runs the model forward and backward on its inputs, as it is and changed: see what_if.h. Parameters, gradients,
    // buffers and random numbers are left as they were. Not while a run is parked.
    void request_what_if(const Tag& tag, const std::vector<WhatIf>& changes, Reply<WhatIfMeasurement> reply);
    // The forecast of the last run with time: times its operators as request_operator_times does if they were not, and
    // those that run in another dtype alone in that dtype. Not while a run is parked.
    void request_forecast(const Tag& tag, const std::vector<WhatIf>& changes, Reply<MemoryForecast> reply);
    // Repeats the last run (or the recorded step of a training) and gives each operator the median of warm runs, and
    // their spread; the recording has them from then on. Not while a run is parked, and not of a recording that was
    // opened.
    void request_operator_times(const Tag& tag, const OperatorTimesRequest& request, Reply<OperatorTimesReport> reply);
    // "layer3.1.conv2.out.absmax": the value of a watch expression at an event; text of a number, or why not.
    void request_watch(const Tag& tag, const std::string& expression, EventId at, Reply<std::string> reply);
    // What the statements that have run gave names, in each function of a model source under way, the innermost first.
    // Empty when nothing is parked in one, and no run failed there.
    void request_line_values(const Tag& tag, Reply<std::vector<FrameValues>> reply);
    // Writes a value as .npy. The reply is empty, or says why not.
    void request_save(const Tag& tag, const TensorRequest& what, const std::filesystem::path& file,
                      Reply<std::string> reply);
    // Writes the last run as a recording that open() takes (see recording_file.h). The reply is empty, or says why not.
    void request_save_recording(const Tag& tag, const std::filesystem::path& file, Reply<std::string> reply);
    // Writes the model's parameters and buffers as they are now, as torch.save writes a state_dict (.pt, .pth) or as an
    // .npz. The reply is empty, or says why not.
    void request_save_weights(const Tag& tag, const std::filesystem::path& file, Reply<std::string> reply);
    // Copies what is in a source's fresh folder into another. Nothing there is overwritten. The reply is empty, or says
    // why not.
    void request_keep_written(const Tag& tag, const std::filesystem::path& fresh_folder,
                              const std::filesystem::path& to, Reply<std::string> reply);
    // Loads a checkpoint (.pt, .pth, .npz) into the model as load_state_dict does. One that does not fit
    // changes nothing; not strict: missing and unexpected names are passed over. Not while something runs.
    void request_load_weights(const Tag& tag, const std::filesystem::path& file, bool strict,
                              Reply<WeightsReport> reply);
    // Writes the training as a dict that torch.load opens: model_state_dict, optimizer_state_dict,
    // scheduler_state_dict, epoch, step, loss, rng_state, and what it takes to go on as if it had not been left
    // (TrainOptions::resume). Inside a step: as it was before the step. The reply is empty, or says why not.
    void request_save_checkpoint(const Tag& tag, const std::filesystem::path& file, Reply<std::string> reply);
    // How the training of a checkpoint was done; base: options that it does not say.
    void request_training_checkpoint(const Tag& tag, const std::filesystem::path& file, const TrainOptions& base,
                                     Reply<TrainingCheckpoint> reply);
    // What data holds.
    void request_data_summary(const Tag& tag, const DataSpec& data, Reply<DataSummary> reply);
    // What each layer of a row makes of what comes in.
    void request_build_check(const Tag& tag, const BuildRequest& request, Reply<BuildCheck> reply);
    void set_parameter_requires_grad(const std::string& module, bool value);
    // Of the module and all below it. The reply is empty, or says why not.
    void request_train_mode(const std::string& module, bool training, Reply<std::string> reply);
    // New first values for its parameters, as its layers' reset_parameters give them; the reply also says when no layer
    // there has one.
    void request_reset_parameters(const std::string& module, std::uint64_t seed, Reply<std::string> reply);

    // Blocks until nothing is queued, running or opening (a parked run counts as idle). For tests and the CLI.
    void wait_idle();

  private:
    std::unique_ptr<Engine> engine_;
};

}  // namespace loupe::session
