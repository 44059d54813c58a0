// SPDX-License-Identifier: Apache-2.0
#include "core/session/session.h"

#include <atomic>
#include <mutex>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/base/torch_release.h"
#include "core/session/far_place.h"
#include "core/session/local_engine.h"
#include "core/session/queries/list.h"
#include "core/session/remote/rank_process.h"
#include "core/session/remote/remote_engine.h"
#include "core/session/verbs.h"

namespace loupe::session {
namespace {

std::atomic<bool> sends_through_bytes{false};

// What another process would make of it.
QueryValue through_bytes(const QueryWire& wire, const void* value) { return wire.read(wire.write(value)); }

class EngineProgram {
  public:
    struct Given {
        std::filesystem::path program;
        std::vector<std::filesystem::path> writable;
    };
    Given get() {
        const std::lock_guard lock(mutex_);
        return given_;
    }
    void set(Given given) {
        const std::lock_guard lock(mutex_);
        given_ = std::move(given);
    }

  private:
    std::mutex mutex_;
    Given given_;
};
EngineProgram& engine_program() {
    static EngineProgram program;
    return program;
}

std::unique_ptr<Backend> make_backend(SessionListener* listener) {
    if (auto place = far_place()) return std::make_unique<RemoteEngine>(std::move(place), listener);
    const EngineProgram::Given given = engine_program().get();
    if (given.program.empty()) return std::make_unique<LocalEngine>(listener);
    return std::make_unique<RemoteEngine>(std::make_unique<EngineHome>(given.program, given.writable), listener);
}

template <typename Verb>
void give(Backend& backend, Verb verb, VerbDone done = {}) {
    backend.perform(Verb::record(), std::make_shared<const Verb>(std::move(verb)), std::move(done));
}

}  // namespace

Session::Session(SessionListener* listener) : backend_(make_backend(listener)) {}
Session::Session(RankProcess& ranks, std::size_t rank, SessionListener* listener)
    : backend_(std::make_unique<RemoteEngine>(ranks.begin(rank), listener)) {}
Session::~Session() = default;

// --- models ---

void Session::open(const std::filesystem::path& file, const std::string& build, std::function<void()> opened) {
    VerbDone done;
    if (opened) done = [opened = std::move(opened)](const std::string&) { opened(); };
    give(*backend_, OpenVerb{.file = file, .build = build}, std::move(done));
}
void Session::open_kept(const std::filesystem::path& file, const std::string& build,
                        const std::filesystem::path& folder) {
    give(*backend_, OpenVerb{.file = file, .build = build, .kept = folder});
}
void Session::close() { give(*backend_, CloseVerb()); }
void Session::permit_source(const std::filesystem::path& source, const FilePermissions& permissions) {
    give(*backend_, PermitSourceVerb{.source = source, .permissions = permissions});
}
FilePermissions Session::permissions_of(const std::filesystem::path& source) const {
    return backend_->permissions_of(source);
}
void Session::set_torch_release(const std::filesystem::path& source, const std::string& release) {
    const auto found = torch_release_named(release);
    if (!found)
        throw Error(ErrorKind::Usage, concat("no PyTorch '", release, "' is known"),
                    {.hint = "there are 1.13 and 2.15"});
    give(*backend_, SetTorchReleaseVerb{.source = source, .release = *found});
}
void Session::set_form(ModelForm form, std::function<void(std::string)> reply) {
    give(*backend_, SetFormVerb{.form = form}, std::move(reply));
}
void Session::set_parameter_requires_grad(const std::string& module, bool value) {
    give(*backend_, SetRequiresGradVerb{.module = module, .value = value});
}

// --- runs ---

void Session::run(const RunOptions& options, const RunTarget& target) {
    give(*backend_, RunVerb{.options = options, .target = target});
}
void Session::train(const TrainOptions& options) { give(*backend_, TrainVerb{.options = options}); }
void Session::train_on(const TrainOptions& options) { give(*backend_, TrainVerb{.options = options, .goes_on = true}); }
void Session::look_at_step(std::int64_t step) { give(*backend_, LookAtStepVerb{.step = step}); }
void Session::return_to_end() { give(*backend_, ReturnToEndVerb()); }
void Session::generate(const GenerateRequest& request) { give(*backend_, GenerateVerb{.request = request}); }

void Session::record_step_of_program() { give(*backend_, OrderProgramVerb{.order = ProgramOrder::RecordStep}); }
void Session::measure_every(std::int64_t steps) {
    give(*backend_, OrderProgramVerb{.order = ProgramOrder::Every, .value = steps});
}
void Session::end_watching() { give(*backend_, OrderProgramVerb{.order = ProgramOrder::EndWatching}); }

void Session::resume() { give(*backend_, ContinueVerb{.target = RunTarget::end()}); }
void Session::pause() { give(*backend_, PauseVerb()); }
void Session::stop() { give(*backend_, StopVerb()); }
void Session::step(StepKind kind) { give(*backend_, ContinueVerb{.target = RunTarget::step(kind)}); }
void Session::run_to(const RunTarget& target) {
    // A run that was begun without backward keeps no graph to go back through.
    const bool is_backward = target.kind == RunTarget::Kind::Phase && target.phase == RunPhase::Backward;
    const Status now = status();
    RunOptions options = run_options();
    if (is_backward && now.state == RunState::Paused && !now.is_training && !options.backward) {
        backend_->log({.text = engine::said("this run was begun without backward: it begins again, with backward"),
                       .scope = {},
                       .source = {}});
        options.backward = true;
        options.pause_at_start = false;
        run(options, target);
        return;
    }
    give(*backend_, ContinueVerb{.target = target});
}
RunOptions Session::run_options() const { return backend_->run_options(); }

void Session::keep_in(const std::filesystem::path& folder) { give(*backend_, KeepInVerb{.folder = folder}); }

// --- breakpoints ---

int Session::add_breakpoint(const Breakpoint& breakpoint) {
    Breakpoint added = breakpoint;
    added.id = backend_->control().id_for(breakpoint);
    added.hits = breakpoint.hits;
    give(*backend_, AddBreakpointVerb{.breakpoint = added});
    return added.id;
}
void Session::update_breakpoint(const Breakpoint& breakpoint) {
    give(*backend_, UpdateBreakpointVerb{.breakpoint = breakpoint});
}
void Session::remove_breakpoint(int id) { give(*backend_, RemoveBreakpointVerb{.id = id}); }
std::vector<Breakpoint> Session::breakpoints() const { return backend_->control().breakpoints(); }
std::map<std::string, std::vector<Breakpoint>> Session::breakpoints_elsewhere() const {
    return backend_->breakpoints_elsewhere();
}
void Session::set_breakpoints_elsewhere(const std::string& path, std::vector<Breakpoint> breakpoints) {
    give(*backend_, PutAwayBreakpointsVerb{.path = path, .breakpoints = std::move(breakpoints)});
}
void Session::move_breakpoints(const std::string& file, const std::string& text) {
    give(*backend_, MoveBreakpointsVerb{.file = file, .text = text});
}

// --- state ---

Status Session::status() const { return backend_->status(); }
std::shared_ptr<const ModelInfo> Session::model() const { return backend_->model(); }
std::shared_ptr<const Recording> Session::recording() const { return backend_->recording(); }
std::shared_ptr<const TrainingLog> Session::training() const { return backend_->training(); }
std::vector<std::shared_ptr<const TrainingLog>> Session::trainings() const { return backend_->trainings(); }
std::shared_ptr<const Generation> Session::generation() const { return backend_->generation(); }
std::vector<InputSpec> Session::inputs() const { return backend_->inputs(); }
void Session::set_inputs(std::vector<InputSpec> inputs) { give(*backend_, SetInputsVerb{.inputs = std::move(inputs)}); }

// --- questions ---

void Session::set_sends_through_bytes(bool value) { sends_through_bytes = value; }

void Session::send(const Tag& tag, const QueryRecord& record, std::shared_ptr<const void> query,
                   std::function<void(QueryValue)> reply, std::function<void(QueryValue)> progress) {
    if (sends_through_bytes) {
        query = through_bytes(record.query_wire, query.get());
        reply = [&record, reply = std::move(reply)](const QueryValue& answer) {
            reply(through_bytes(record.answer_wire, answer.get()));
        };
        if (progress)
            progress = [&record, progress = std::move(progress)](const QueryValue& step) {
                progress(through_bytes(record.progress_wire, step.get()));
            };
    }
    backend_->ask(tag, record, std::move(query), std::move(reply), std::move(progress));
}

void Session::ask_bytes(const Tag& tag, std::string_view name, std::string_view query, Reply<std::string> reply,
                        Reply<std::string> progress) {
    const QueryRecord* record = find_query(name);
    if (record == nullptr) throw Error(ErrorKind::Usage, concat("no question is called '", name, "'"));
    const auto written = [](const QueryWire& wire, const Reply<std::string>& told) -> std::function<void(QueryValue)> {
        return [&wire, told](const QueryValue& value) { told(wire.write(value.get())); };
    };
    send(tag, *record, record->query_wire.read(query), written(record->answer_wire, reply),
         progress && record->progress_wire.write != nullptr ? written(record->progress_wire, progress) : nullptr);
}

// --- the engine's process ---

void Session::set_engine_program(const std::filesystem::path& program,
                                 const std::vector<std::filesystem::path>& writable) {
    engine_program().set({program, writable});
}
bool Session::has_engine_process() const { return backend_->has_process(); }
EngineEnd Session::engine_end() const { return backend_->engine_end(); }
void Session::kill_engine() { backend_->kill_engine(); }
void Session::restart_engine(bool goes_back) { backend_->restart_engine(goes_back); }

void Session::wait_idle() { backend_->wait_idle(); }

}  // namespace loupe::session
