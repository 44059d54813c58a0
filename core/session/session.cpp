// SPDX-License-Identifier: Apache-2.0
#include "core/session/session.h"

#include <atomic>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/base/torch_release.h"
#include "core/session/engine.h"
#include "core/session/queries/list.h"
#include "core/session/query_context.h"

namespace loupe::session {

Session::Session(SessionListener* listener) : engine_(std::make_unique<Engine>(listener)) {}
Session::~Session() = default;

void Session::open(const std::filesystem::path& file, const std::string& build, std::function<void()> opened) {
    engine_->open(file, build, std::move(opened));
}
void Session::open_kept(const std::filesystem::path& file, const std::string& build,
                        const std::filesystem::path& folder) {
    engine_->open(file, build, {}, folder);
}
void Session::close() { engine_->close(); }
void Session::permit_source(const std::filesystem::path& source, const FilePermissions& permissions) {
    engine_->permit_source(source, permissions);
}
FilePermissions Session::permissions_of(const std::filesystem::path& source) const {
    return engine_->permissions_of(source);
}
void Session::set_torch_release(const std::filesystem::path& source, const std::string& release) {
    const auto found = torch_release_named(release);
    if (!found)
        throw Error(ErrorKind::Usage, concat("no PyTorch '", release, "' is known"),
                    {.hint = "there are 1.13 and 2.15"});
    engine_->set_torch_release(source, *found);
}
void Session::set_form(ModelForm form, std::function<void(std::string)> reply) {
    engine_->set_form(form, std::move(reply));
}
void Session::run(const RunOptions& options, const RunTarget& target) { engine_->run(options, target); }
void Session::train(const TrainOptions& options) { engine_->train(options, Engine::TrainFrom::Start); }
void Session::train_on(const TrainOptions& options) { engine_->train(options, Engine::TrainFrom::Here); }

void Session::generate(const GenerateRequest& request) { engine_->generate(request); }
std::shared_ptr<const Generation> Session::generation() const { return engine_->generation(); }

void Session::resume() { engine_->go_on(RunTarget::end()); }
void Session::pause() { engine_->control().order(RunTarget::next()); }
void Session::stop() { engine_->stop(); }

void Session::step(StepKind kind) { engine_->go_on(RunTarget::step(kind)); }
void Session::run_to(const RunTarget& target) {
    // A run that was begun without backward keeps no graph to go back through.
    const bool is_backward = target.kind == RunTarget::Kind::Phase && target.phase == RunPhase::Backward;
    const Status now = status();
    RunOptions options = engine_->last_options();
    if (is_backward && now.state == RunState::Paused && !now.is_training && !options.backward) {
        engine_->log(
            {.text = "this run was begun without backward: it begins again, with backward", .scope = {}, .source = {}});
        options.backward = true;
        options.pause_at_start = false;
        engine_->run(options, target);
        return;
    }
    engine_->go_on(target);
}

RunOptions Session::run_options() const { return engine_->last_options(); }

void Session::keep_in(const std::filesystem::path& folder) {
    engine_->request("keep", [this, folder] { engine_->keep_in(folder); });
}

int Session::add_breakpoint(const Breakpoint& breakpoint) { return engine_->control().add(breakpoint); }
void Session::update_breakpoint(const Breakpoint& breakpoint) { engine_->control().update(breakpoint); }
void Session::remove_breakpoint(int id) { engine_->control().remove(id); }
std::vector<Breakpoint> Session::breakpoints() const { return engine_->control().breakpoints(); }
std::map<std::string, std::vector<Breakpoint>> Session::breakpoints_elsewhere() const {
    return engine_->moves().away();
}
void Session::set_breakpoints_elsewhere(const std::string& path, std::vector<Breakpoint> breakpoints) {
    engine_->moves().put_away(path, std::move(breakpoints));
}
void Session::move_breakpoints(const std::string& file, const std::string& text) {
    engine_->move_breakpoints(file, text);
}

Status Session::status() const { return engine_->status(); }
std::shared_ptr<const ModelInfo> Session::model() const { return engine_->model(); }
std::shared_ptr<const Recording> Session::recording() const { return engine_->recording(); }
std::shared_ptr<const TrainingLog> Session::training() const { return engine_->training(); }
std::vector<std::shared_ptr<const TrainingLog>> Session::trainings() const { return engine_->trainings(); }
void Session::look_at_step(std::int64_t step) { engine_->look_at_step(step); }
void Session::return_to_end() { engine_->return_to_end(); }
std::vector<InputSpec> Session::inputs() const { return engine_->inputs(); }
void Session::set_inputs(std::vector<InputSpec> inputs) { engine_->set_inputs(std::move(inputs)); }

namespace {

std::atomic<bool> sends_through_bytes{false};

// What another process would make of it.
QueryValue through_bytes(const QueryWire& wire, const void* value) { return wire.read(wire.write(value)); }

}  // namespace

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
    engine_->request(
        tag, [this, &record, query = std::move(query), reply = std::move(reply), progress = std::move(progress)] {
            QueryContext context(*engine_);
            reply(context.answer(record, query.get(), progress));
        });
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

void Session::set_parameter_requires_grad(const std::string& module, bool value) {
    engine_->request(concat("requires_grad ", module), [this, module, value] {
        if (!engine_->program()) return;
        if (const nn::ModulePtr found = engine_->program()->module().get_submodule(module))
            found->set_requires_grad(value);
    });
}

void Session::wait_idle() { engine_->wait_idle(); }

}  // namespace loupe::session
