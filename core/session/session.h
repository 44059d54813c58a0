// SPDX-License-Identifier: Apache-2.0
#pragma once
// The only door between the engine and its users. One engine thread a session runs everything that touches
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
#include "core/session/engine_end.h"
#include "core/session/query.h"
#include "core/session/restored_run.h"
#include "core/session/run_target.h"
#include "core/session/session_listener.h"
#include "core/session/status.h"
#include "core/session/watched_programs.h"
#include "core/study/compilation.h"
#include "core/study/fused_groups.h"
#include "core/study/memory_plan.h"
#include "core/study/pass_bisect.h"
#include "core/study/pass_check.h"
#include "core/train/training.h"

namespace loupe::session {

class Backend;
class RankProcess;
struct VerbRecord;

class Session {
  public:
    // Of questions: a newer one takes the place of one with the same tag that still waits.
    using Tag = std::string;
    template <typename T>
    using Reply = std::function<void(T)>;

    // The engine is in this process, or in one of its own: see set_engine_program().
    explicit Session(SessionListener* listener = nullptr);
    // The engine of one of the ranks behind a process, which outlives the session.
    Session(RankProcess& ranks, std::size_t rank, SessionListener* listener);
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    // Stops what runs.
    ~Session();

    // Takes the place of the model there is. Ends in on_model and Ready, or Failed with the error. A recording ends in
    // on_model, on_recording and Finished, as if it had run just now; it has no engine behind it until it is run again.
    // build: of a model source, the expression that makes the model: "Net(10, width=64)". Without one it is what the
    // source says, or what it was opened with before when the same file is opened again; see ModelInfo::constructors.
    // opened: called when it is open, after the listeners' notifications; not when it fails or is stopped.
    void open(const std::filesystem::path& file, const std::string& build = {}, std::function<void()> opened = {});
    // The same of a model of a session before, which keep_in() kept in the folder: it is made with the same random
    // numbers and gets the same weights. Where that cannot be, the log says so, and RestoredRun::other_model.
    void open_kept(const std::filesystem::path& file, const std::string& build, const std::filesystem::path& folder);
    void close();
    // What a model source may do with files besides what every source may, from its next opening on; kept while the
    // session lives. Replaces what it was permitted before.
    void permit_source(const std::filesystem::path& source, const FilePermissions& permissions);
    FilePermissions permissions_of(const std::filesystem::path& source) const;
    // Of which PyTorch a model source gets numbers and printed forms where releases differ, from its next opening on:
    // "1.13" or "2.15", else Error (Usage). Not set: as the process was started with. One release holds for the whole
    // process: that of the source which was opened last.
    void set_torch_release(const std::filesystem::path& source, const std::string& release);
    // Makes a model source run in another form, with the same parameters; Traced on the inputs as they are. Ends in
    // on_model and Ready. The reply is empty, or says why not: then it runs as before. An edited source is opened in
    // the same form. Not while a run is parked.
    void set_form(ModelForm form, std::function<void(std::string)> reply = {});

    // As far as the target says. What is being opened is opened first.
    void run(const RunOptions& options, const RunTarget& target = {});
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
    // Text by a model of a folder with a tokenizer, token by token: see GenerateRequest. Each token is a run; the last
    // one that was ordered, and all while something may stop in them, are recorded and shown. Ends Finished,
    // on_generation after each token.
    void generate(const GenerateRequest& request);
    // The program whose training is watched records its next step whole, for a file beside it (see
    // TrainingProgram::recorded_in), measures every so many steps, or is watched no more, by anyone. open() takes its
    // socket, pause() parks it behind its next step, resume() sends it on, stop() leaves it: it goes on by itself.
    void record_step_of_program();
    void measure_every(std::int64_t steps);
    void end_watching();
    void step(StepKind kind);  // starts a run when none is under way
    // Continues as far as the target; starts a run when none is under way. Backward in a run that was begun without
    // it: the run begins again with it, which the log says.
    void run_to(const RunTarget& target);
    // Of the run that was ordered last.
    RunOptions run_options() const;

    // From now on the last run is kept in the folder while it goes on (see run_journal.h), the model as "model.pt", and
    // of a training the last checkpoint as "training.pt" and those that it began with: for another process, when this
    // one ends without a word. Costs at most 2 % of a training and a second of delay. An empty path: no longer. The
    // folder must be there.
    void keep_in(const std::filesystem::path& folder);

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
    // Null: nothing was generated since the model was opened.
    std::shared_ptr<const Generation> generation() const;
    // Inputs as guessed, given or last used.
    std::vector<InputSpec> inputs() const;
    void set_inputs(std::vector<InputSpec> inputs);

    // Puts a question (see query.h). It is answered on the engine thread, also while a run is parked; reply and
    // progress are called there. A newer one with the same tag replaces one that still waits, whose reply is never
    // called. stop() ends one that is being answered. What failed is said by the answer, as its type has it: an empty
    // `error` or text is none; of the few answers that cannot say so the log has it, and no reply comes.
    template <typename Query>
    void ask(const Tag& tag, Query query, Reply<typename Query::Answer> reply, Reply<ProgressOf<Query>> progress = {}) {
        std::function<void(QueryValue)> told;
        if (progress)
            told = [progress = std::move(progress)](const QueryValue& step) {
                progress(std::move(*static_cast<ProgressOf<Query>*>(step.get())));
            };
        send(
            tag, Query::record(), std::make_shared<const Query>(std::move(query)),
            [reply = std::move(reply)](const QueryValue& answer) {
                if (reply) reply(std::move(*static_cast<typename Query::Answer*>(answer.get())));
            },
            std::move(told));
    }
    // The same of a question that comes as bytes, by the name of its record; so do its answer and progress. Throws
    // Error: Usage for a name that is none, File for bytes that are not that question.
    void ask_bytes(const Tag& tag, std::string_view name, std::string_view query, Reply<std::string> reply,
                   Reply<std::string> progress = {});
    // For tests, of all sessions of the process: questions, answers and progress go through bytes, as they would to and
    // from another process.
    static void set_sends_through_bytes(bool value);
    // Of the parameters of the module and all below it.
    void set_parameter_requires_grad(const std::string& module, bool value);

    // Sessions of this process that are made from now on run their engine as a child, this program
    // ("tensorloupe-engine"); an empty path: in this process. What ends a child's life (a crash in a kernel or a
    // plugin, the system's memory killer) does not end this one's: model, recording and trainings stay as they are, and
    // engine_end() says what happened. It writes into a folder of its own, its cache, these folders, and where sources
    // are permitted to write; what is saved elsewhere it is given open.
    static void set_engine_program(const std::filesystem::path& program,
                                   const std::vector<std::filesystem::path>& writable = {});
    bool has_engine_process() const;
    // Kind None: it runs, or is in this process.
    EngineEnd engine_end() const;
    // Ends the engine's process, whatever it does. Nothing of an engine in this process.
    void kill_engine();
    // A new process in place of one that has ended: with the same settings, the same model, breakpoints and inputs.
    // goes_back: and the run again, with the same seed, as far as the event that it ended at. Any other order but
    // stop() starts a new process too, without going back.
    void restart_engine(bool goes_back);

    // Blocks until nothing is queued, running or opening (a parked run counts as idle). For tests and the CLI.
    void wait_idle();

  private:
    void send(const Tag& tag, const QueryRecord& record, std::shared_ptr<const void> query,
              std::function<void(QueryValue)> reply, std::function<void(QueryValue)> progress);

    std::unique_ptr<Backend> backend_;
};

}  // namespace loupe::session
