// SPDX-License-Identifier: Apache-2.0
#include "core/session/query_context.h"

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/session/engine.h"

namespace loupe::session {
namespace {

bool is_kept_from(const Status& status, NotWhile not_while) {
    const bool is_parked = status.state == RunState::Paused;
    switch (not_while) {
        case NotWhile::Never:
            return false;
        case NotWhile::Parked:
            return is_parked;
        case NotWhile::ParkedOrTraining:
            return is_parked || status.is_training;
        case NotWhile::ParkedOrRunning:
            return is_parked || status.state == RunState::Running;
    }
    return false;
}

}  // namespace

QueryValue QueryContext::answer(const QueryRecord& record, const void* query,
                                const std::function<void(QueryValue)>& progress) {
    try {
        if (record.needs_model && !program()) throw Error(ErrorKind::Usage, "no model is open");
        if (is_kept_from(status(), record.not_while))
            throw Error(ErrorKind::Usage, "a run is under way; stop it first");
        return record.answer(query, *this, progress);
    } catch (const Error& error) {
        if (record.refuse == nullptr) throw;
        return record.refuse(query, error);
    }
}

Status QueryContext::status() const { return engine_.status(); }
std::vector<InputSpec> QueryContext::inputs() const { return engine_.inputs(); }
const RunOptions& QueryContext::ran() const { return engine_.ran(); }
const std::shared_ptr<Program>& QueryContext::program() const { return engine_.program(); }
std::shared_ptr<Program> QueryContext::model_or_recorded() const { return engine_.model_or_recorded(); }

std::shared_ptr<const TextModel> QueryContext::text_model() const { return engine_.text_model(); }
const std::vector<std::int64_t>& QueryContext::held_ids() const { return engine_.held_ids(); }

QueryContext::StudiedMethod QueryContext::study(const std::string& method) const {
    StudiedMethod studied;
    studied.program = engine_.model_or_recorded();
    Program& program = *studied.program;
    studied.arguments = [this, &program, method] { return program.make_arguments(engine_.inputs(), method); };
    if (program.trace() == nullptr && program.is_eager()) program.trace_with(studied.arguments());
    studied.graph = &*program.method(method).graph();
    return studied;
}

nn::ModulePtr QueryContext::module(const std::string& path) const {
    const nn::ModulePtr found = engine_.program()->module().get_submodule(path);
    if (!found) throw Error(ErrorKind::Usage, concat("no module '", path, "'"));
    return found;
}

const Recorder* QueryContext::recorder() const { return engine_.recorder(); }
const PreparedMethod* QueryContext::ran_method() const { return engine_.ran_method(); }
std::shared_ptr<const Recording> QueryContext::recording() const { return engine_.recording(); }
const RecordingFile* QueryContext::recording_file() const { return engine_.recording_file(); }
const Trainer* QueryContext::trainer() const { return engine_.trainer(); }
bool QueryContext::run_failed() const { return engine_.run_failed(); }
bool QueryContext::shows_restored_run() const { return engine_.shows_restored_run(); }
Tensor QueryContext::elements(ValueId id, std::size_t ahead) const { return engine_.elements(id, ahead); }
bool QueryContext::is_recomputed(ValueId id) const { return engine_.is_recomputed(id); }

EventId QueryContext::change_value(const ValueChange& change) { return engine_.change_value(change); }
ContinuedEdit QueryContext::continue_edit(const EditRequest& request) { return engine_.continue_edit(request); }

CompileReport QueryContext::compile(const CompileRequest& request) { return engine_.compile(request).report; }
WhatIfMeasurement QueryContext::measure_what_if(const std::vector<WhatIf>& changes) {
    return engine_.measure_what_if(engine_.model_or_recorded(), changes);
}
MemoryForecast QueryContext::forecast(const std::vector<WhatIf>& changes) { return engine_.forecast(changes); }
std::shared_ptr<const OperatorTimes> QueryContext::time_operators(const OperatorTimesRequest& request) {
    return engine_.time_operators(request);
}
WeightsReport QueryContext::load_weights(const std::filesystem::path& file, bool strict) {
    return engine_.load_weights(file, strict);
}
RestoredRun QueryContext::restore_run(const std::filesystem::path& folder) { return engine_.restore_run(folder); }
std::string QueryContext::restore_training(const std::filesystem::path& file) { return engine_.restore_training(file); }
std::string QueryContext::save_restored(const std::filesystem::path& file, const std::string& attached) {
    return engine_.save_restored(file, attached);
}

}  // namespace loupe::session
