// SPDX-License-Identifier: Apache-2.0
#include "core/session/session.h"
#include "core/model/error_text.h"

#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/formats/numpy/npy.h"
#include "core/model/check_build.h"
#include "core/model/convert.h"
#include "core/model/inputs.h"
#include "core/model/pipelines.h"
#include "core/model/reset_parameters.h"
#include "core/ops/random/generator.h"
#include "core/record/compute_statistics.h"
#include "core/record/gradients.h"
#include "core/record/reduce_tensor.h"
#include "core/session/engine.h"
#include "core/session/watch.h"
#include "core/study/bisect_passes.h"
#include "core/study/check_passes.h"
#include "core/study/find_fused_groups.h"
#include "core/study/plan_memory.h"
#include "core/study/trace_check.h"

namespace loupe::session {
namespace {

struct FoundTensor {
    Tensor tensor;
    std::string name;
};

Tensor find_in_module(nn::Module& module, const std::string& name) {
    for (const auto& [own, t] : module.named_parameters()) {
        if (own == name) return t;
    }
    for (const auto& [own, t] : module.named_buffers()) {
        if (own == name) return t;
    }
    return {};
}

// What there is to look at: an open model and its last run, or a run that was read from a file.
struct Sight {
    std::shared_ptr<Program> program;
    const Recorder* recorder;
    const RecordingFile* file;
    std::function<Tensor(ValueId)> elements;
    std::function<bool(ValueId)> is_recomputed;
    bool is_restored = false;     // the run is of a session before
    bool is_of_training = false;  // there was a training, whose steps are what was recorded

    std::shared_ptr<const Recording> recording() const {
        if (recorder != nullptr) return recorder->recording();
        return file != nullptr ? file->recording() : nullptr;
    }
};

std::string left_out_text(const Recording& recording, const Value& value) {
    const std::string_view where =
        value.producer != 0 ? recording.event(value.producer).scope : std::string_view(value.name);
    return concat("not recorded: unticked in Modules (", where.empty() ? "the model itself" : where, ")");
}

FoundTensor find_value(const Sight& sight, ValueId id) {
    const auto recording = sight.recording();
    if (recording == nullptr || id > recording->value_count())
        throw Error(ErrorKind::Usage, "this value is of a run that is gone");
    if (recording->value(id).is_left_out)
        throw Error(ErrorKind::Usage, left_out_text(*recording, recording->value(id)),
                    {.hint = "tick it and run again"});
    const Tensor t = sight.elements(id);
    if (!t.defined() && sight.is_restored)
        throw Error(ErrorKind::Usage, "the session before kept no elements of this value",
                    {.hint = sight.is_of_training ? "click the step in Train to run it again"
                                                  : "Run to here runs again to this event and stops behind it"});
    if (!t.defined())
        throw Error(ErrorKind::Usage, "the elements of this value were not kept",
                    {.hint = "run again with values recorded"});
    return {t, recording->value(id).name};
}

// The parameter, buffer or gradient of that name in a recorded run; 0 when there is none.
ValueId recorded_value(const RecordingFile& file, const std::string& name) {
    if (name.starts_with("grad:")) {
        for (const GradientRow& row : file.gradients()) {
            if (row.parameter == name.substr(5)) return row.value;
        }
        return 0;
    }
    for (ValueId id = 1; id <= file.recording()->value_count(); ++id) {
        const Value& value = file.recording()->value(id);
        if (value.producer == 0 && value.name == name) return id;
    }
    return 0;
}

FoundTensor find_tensor(const Sight& sight, const TensorRequest& request) {
    if (request.value != 0) return find_value(sight, request.value);
    const auto& program = sight.program;
    if (!program && sight.file != nullptr) {
        const ValueId id = recorded_value(*sight.file, request.name);
        if (id == 0) throw Error(ErrorKind::Usage, concat("the recording has no '", request.name, "'"));
        return find_value(sight, id);
    }
    if (!program) throw Error(ErrorKind::Usage, "no model is open");
    const bool is_gradient = request.name.starts_with("grad:");
    const std::string name = is_gradient ? request.name.substr(5) : request.name;
    Tensor t = find_in_module(program->module(), name);
    if (!t.defined()) throw Error(ErrorKind::Usage, concat("no parameter or buffer '", name, "'"));
    if (is_gradient) t = grad_of(t);
    if (!t.defined()) throw Error(ErrorKind::Usage, concat(name, " has no gradient"), {.hint = "run backward first"});
    return {t, is_gradient ? concat("grad of ", name) : name};
}

void add_history(const Recording& recording, TensorSlice& out) {
    std::vector<std::string> aliases;
    for (ValueId id = 1; id <= recording.value_count(); ++id) {
        const Value& value = recording.value(id);
        if (value.storage_id == out.storage_id && id != out.value && !value.name.empty()) aliases.push_back(value.name);
    }
    for (EventId id = 1; id <= recording.event_count(); ++id) {
        const Event& event = recording.event(id);
        const auto touches = [&](const std::vector<ValueId>& values) {
            for (const ValueId value : values) {
                if (value != 0 && recording.value(value).storage_id == out.storage_id) return true;
            }
            return false;
        };
        if (touches(event.inputs)) out.readers.push_back(id);
        if (touches(event.outputs)) out.writers.push_back(id);
    }
    out.aliases = std::move(aliases);
}

TensorSlice look_at_tensor(const Sight& sight, const TensorRequest& request) {
    try {
        const FoundTensor found = find_tensor(sight, request);
        TensorSlice out = reduce_tensor(found.tensor, request);
        out.value = request.value;
        out.name = found.name;
        if (const auto recording = sight.recording()) {
            if (out.value == 0 && sight.recorder != nullptr) out.value = sight.recorder->find_value(found.tensor);
            if (out.value == 0 && sight.recorder == nullptr) out.value = recorded_value(*sight.file, request.name);
            // As recorded, also when the elements were copied away from their storage since.
            const bool is_recorded = request.value != 0 || sight.recorder == nullptr;
            if (is_recorded && out.value != 0) out.storage_id = recording->value(out.value).storage_id;
            out.is_recomputed = request.value != 0 && sight.is_recomputed(request.value);
            add_history(*recording, out);
        }
        return out;
    } catch (const Error& error) {
        TensorSlice out;
        out.error = error.what();
        return out;
    }
}

Sight sight_of(Engine& engine) {
    return {engine.program(),
            engine.recorder(),
            engine.recording_file(),
            [&engine](ValueId id) { return engine.elements(id); },
            [&engine](ValueId id) { return engine.is_recomputed(id); },
            engine.shows_restored_run(),
            engine.trainer() != nullptr};
}

// A recording that lacks a value that did not come out the same again is still one.
Tensor saved_elements(Engine& engine, ValueId id) {
    constexpr std::size_t kAhead = std::size_t{256} << 20;
    try {
        return engine.elements(id, kAhead);
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Cancelled) throw;
        return {};
    }
}

}  // namespace

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
void Session::set_form(ModelForm form, std::function<void(std::string)> reply) {
    engine_->set_form(form, std::move(reply));
}
void Session::run(const RunOptions& options) {
    engine_->control().order_continue();
    engine_->run(options);
}
void Session::train(const TrainOptions& options) {
    engine_->control().order_continue();
    engine_->train(options, Engine::TrainFrom::Start);
}
void Session::train_on(const TrainOptions& options) {
    engine_->control().order_continue();
    engine_->train(options, Engine::TrainFrom::Here);
}

void Session::resume() {
    engine_->control().order_continue();
    engine_->go_on();
}
void Session::pause() { engine_->control().order_pause(); }
void Session::stop() { engine_->stop(); }

void Session::step(StepKind kind) {
    if (status().state == RunState::Paused)
        engine_->control().order_step(kind);
    else
        engine_->control().order_pause();  // a new run parks at its first point
    engine_->go_on();
}
void Session::run_to_node(int graph_node) {
    engine_->control().order_node(graph_node);
    engine_->go_on();
}
void Session::run_to_phase(RunPhase phase) {
    // A run that was begun without backward keeps no graph to go back through.
    const Status now = status();
    RunOptions options = engine_->last_options();
    if (phase == RunPhase::Backward && now.state == RunState::Paused && !now.is_training && !options.backward) {
        engine_->log(
            {.text = "this run was begun without backward: it begins again, with backward", .scope = {}, .source = {}});
        options.backward = true;
        options.pause_at_start = false;
        engine_->run(options);
    }
    engine_->control().order_phase(phase);
    engine_->go_on();
}
void Session::run_to_nan() {
    engine_->control().order_nan();
    engine_->go_on();
}

RunOptions Session::run_options() const { return engine_->last_options(); }
void Session::run_to_event(EventId event) {
    engine_->control().order_event(event);
    engine_->go_on();
}

void Session::keep_in(const std::filesystem::path& folder) {
    engine_->request("keep", [this, folder] { engine_->keep_in(folder); });
}
void Session::request_restore_run(const Tag& tag, const std::filesystem::path& folder, Reply<RestoredRun> reply) {
    engine_->request(tag, [this, folder, reply = std::move(reply)] { reply(engine_->restore_run(folder)); });
}
void Session::request_restore_training(const Tag& tag, const std::filesystem::path& file, Reply<std::string> reply) {
    engine_->request(tag, [this, file, reply = std::move(reply)] { reply(engine_->restore_training(file)); });
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

void Session::request_tensor(const Tag& tag, const TensorRequest& request, Reply<TensorSlice> reply) {
    engine_->request(tag,
                     [this, request, reply = std::move(reply)] { reply(look_at_tensor(sight_of(*engine_), request)); });
}

void Session::request_gradients(const Tag& tag, Reply<std::vector<GradientRow>> reply) {
    engine_->request(tag, [this, reply = std::move(reply)] {
        const bool is_read = engine_->recorder() == nullptr && engine_->recording_file() != nullptr;
        if (engine_->program() && !is_read)
            return reply(gradient_rows(engine_->program()->module(), engine_->recorder()));
        reply(engine_->recording_file() != nullptr ? engine_->recording_file()->gradients()
                                                   : std::vector<GradientRow>());
    });
}

void Session::request_line_values(const Tag& tag, Reply<std::vector<FrameValues>> reply) {
    engine_->request(tag, [this, reply = std::move(reply)] {
        const bool is_there =
            engine_->recorder() != nullptr && (engine_->status().state == RunState::Paused || engine_->run_failed());
        reply(is_there ? engine_->recorder()->line_values() : std::vector<FrameValues>());
    });
}

namespace {

// What a run would get; empty where inputs are missing, for passes do without.
template <typename Inputs>
std::vector<IValue> arguments_or_none(Program& program, const Inputs& inputs, const std::string& method) {
    try {
        return program.make_arguments(inputs, method);
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Cancelled) throw;
        return {};
    }
}

}  // namespace

void Session::request_passes(const Tag& tag, const std::string& pipeline, const std::string& method,
                             Reply<PassTrace> reply) {
    engine_->request(tag, [this, pipeline, method, reply = std::move(reply)] {
        PassTrace trace;
        try {
            const std::shared_ptr<Program> program = engine_->model_or_recorded();
            if (program->trace() == nullptr && program->is_eager())
                program->trace_with(program->make_arguments(engine_->inputs(), method));
            const ir::ScriptFunction& function = program->method(method);
            trace = trace_pipeline(pipeline, *function.graph(), program->script_module(), method,
                                   arguments_or_none(*program, engine_->inputs(), method));
        } catch (const Error& error) {
            trace.pipeline = pipeline;
            trace.error = error.what();
        }
        reply(std::move(trace));
    });
}

void Session::request_pass_check(const Tag& tag, const std::string& pipeline, const std::string& method,
                                 Reply<PassChecks> reply) {
    engine_->request(tag, [this, pipeline, method, reply = std::move(reply)] {
        PassChecks checks;
        try {
            const std::shared_ptr<Program> program = engine_->model_or_recorded();
            if (engine_->status().state == RunState::Paused)
                throw Error(ErrorKind::Usage, "a run is under way; stop it first");
            const auto arguments = [&] { return program->make_arguments(engine_->inputs(), method); };
            if (program->trace() == nullptr && program->is_eager()) program->trace_with(arguments());
            checks = check_passes(pipeline, *program->method(method).graph(), program->script_module(), arguments);
        } catch (const Error& error) {
            checks.error = error.what();
        }
        reply(std::move(checks));
    });
}

void Session::request_pass_bisect(const Tag& tag, const PassBisectOptions& options, Reply<PassBisect> reply,
                                  Reply<PassBisectProgress> progress) {
    engine_->request(tag, [this, options, reply = std::move(reply), progress = std::move(progress)] {
        PassBisect found;
        try {
            const std::shared_ptr<Program> program = engine_->model_or_recorded();
            if (engine_->status().state == RunState::Paused)
                throw Error(ErrorKind::Usage, "a run is under way; stop it first");
            const auto arguments = [&] { return program->make_arguments(engine_->inputs(), options.method); };
            if (program->trace() == nullptr && program->is_eager()) program->trace_with(arguments());
            found = bisect_passes(options, *program->method(options.method).graph(), program->script_module(),
                                  arguments, progress);
        } catch (const Error& error) {
            found.pipeline = options.pipeline;
            found.error = found.verdict = error.what();
        }
        reply(std::move(found));
    });
}

void Session::request_trace_check(const Tag& tag, Reply<TraceCheck> reply) {
    engine_->request(tag, [this, reply = std::move(reply)] {
        TraceCheck check;
        try {
            if (!engine_->program()) throw Error(ErrorKind::Usage, "no model is open");
            if (engine_->status().state == RunState::Paused)
                throw Error(ErrorKind::Usage, "a run is under way; stop it first");
            Program& program = *engine_->program();
            const std::vector<IValue> arguments = program.make_arguments(engine_->inputs(), "forward");
            if (program.trace() == nullptr && program.is_eager()) program.trace_with(arguments);
            check = check_on_other_inputs(program, arguments);
        } catch (const Error& error) {
            check.error = error.what();
        }
        reply(std::move(check));
    });
}

void Session::request_compile(const Tag& tag, const CompileRequest& request, Reply<CompileReport> reply) {
    engine_->request(tag, [this, request, reply = std::move(reply)] {
        CompileReport report;
        try {
            if (engine_->status().state == RunState::Paused)
                throw Error(ErrorKind::Usage, "a run is under way; stop it first");
            report = engine_->compile(request).report;
        } catch (const Error& error) {
            report.mode = request.mode;
            report.method = request.method;
            report.error = headline_of(error);
            report.details = details_of(error);
            report.error_source = place_of(error);
        }
        reply(std::move(report));
    });
}

void Session::request_fused_groups(const Tag& tag, const FusedGroupsRequest& request, Reply<FusedGroups> reply) {
    engine_->request(tag, [this, request, reply = std::move(reply)] {
        FusedGroups groups;
        try {
            const std::shared_ptr<Program> program = engine_->model_or_recorded();
            if (engine_->status().state == RunState::Paused)
                throw Error(ErrorKind::Usage, "a run is under way; stop it first");
            std::vector<IValue> arguments = program->make_arguments(engine_->inputs(), request.method);
            if (program->trace() == nullptr && program->is_eager()) program->trace_with(arguments);
            groups = find_fused_groups(program, request, std::move(arguments));
        } catch (const Error& error) {
            groups.error = error.what();
        }
        reply(std::move(groups));
    });
}

void Session::request_memory_plan(const Tag& tag, const std::string& pipeline, const std::string& method,
                                  Reply<MemoryPlanReport> reply) {
    engine_->request(tag, [this, pipeline, method, reply = std::move(reply)] {
        MemoryPlanReport report;
        try {
            const std::shared_ptr<Program> program = engine_->model_or_recorded();
            if (engine_->status().state == RunState::Paused)
                throw Error(ErrorKind::Usage, "a run is under way; stop it first");
            const auto arguments = [&] { return program->make_arguments(engine_->inputs(), method); };
            if (program->trace() == nullptr && program->is_eager()) program->trace_with(arguments());
            report =
                plan_memory(pipeline, *program->method(method).graph(), program->script_module(), method, arguments);
        } catch (const Error& error) {
            report.pipeline = pipeline;
            report.error = error.what();
        }
        reply(std::move(report));
    });
}

void Session::request_what_if(const Tag& tag, const std::vector<WhatIf>& changes, Reply<WhatIfMeasurement> reply) {
    engine_->request(tag, [this, changes, reply = std::move(reply)] {
        WhatIfMeasurement measurement;
        try {
            const std::shared_ptr<Program> program = engine_->model_or_recorded();
            if (engine_->status().state == RunState::Paused || engine_->status().is_training)
                throw Error(ErrorKind::Usage, "a run is under way; stop it first");
            measurement = engine_->measure_what_if(program, changes);
        } catch (const Error& error) {
            measurement.error = error.what();
        }
        reply(std::move(measurement));
    });
}

void Session::request_forecast(const Tag& tag, const std::vector<WhatIf>& changes, Reply<MemoryForecast> reply) {
    engine_->request(tag, [this, changes, reply = std::move(reply)] {
        MemoryForecast forecast;
        try {
            forecast = engine_->forecast(changes);
        } catch (const Error& error) {
            forecast.error = headline_of(error);
        }
        reply(std::move(forecast));
    });
}

void Session::request_operator_times(const Tag& tag, const OperatorTimesRequest& request,
                                     Reply<OperatorTimesReport> reply) {
    engine_->request(tag, [this, request, reply = std::move(reply)] {
        OperatorTimesReport report;
        try {
            report.times = engine_->time_operators(request);
        } catch (const Error& error) {
            report.error = headline_of(error);
        }
        reply(std::move(report));
    });
}

void Session::request_watch(const Tag& tag, const std::string& expression, EventId at, Reply<std::string> reply) {
    engine_->request(tag, [this, expression, at, reply = std::move(reply)] {
        const auto recording = engine_->recording();
        reply(recording == nullptr ? "nothing was recorded" : evaluate_watch(*recording, expression, at));
    });
}

void Session::request_save(const Tag& tag, const TensorRequest& what, const std::filesystem::path& file,
                           Reply<std::string> reply) {
    engine_->request(tag, [this, what, file, reply = std::move(reply)] {
        std::string failure;
        try {
            write_npy(file, slice_tensor(find_tensor(sight_of(*engine_), what).tensor, what.slice));
        } catch (const Error& error) {
            failure = error.what();
        }
        reply(std::move(failure));
    });
}

void Session::request_save_recording(const Tag& tag, const std::filesystem::path& file, Reply<std::string> reply) {
    engine_->request(tag, [this, file, reply = std::move(reply)] {
        std::string failure;
        try {
            if (engine_->recorder() == nullptr && engine_->program() && engine_->recording_file() != nullptr)
                return reply(engine_->save_restored(file));
            if (engine_->recorder() == nullptr)
                throw Error(ErrorKind::Usage, "nothing was recorded", {.hint = "run the model first"});
            save_recording(*engine_->program(), *engine_->recorder(), engine_->ran(), file,
                           [this](ValueId id) { return saved_elements(*engine_, id); });
        } catch (const Error& error) {
            failure = error.what();
        }
        reply(std::move(failure));
    });
}

void Session::request_save_weights(const Tag& tag, const std::filesystem::path& file, Reply<std::string> reply) {
    engine_->request(tag, [this, file, reply = std::move(reply)] {
        std::string failure;
        try {
            if (!engine_->program()) throw Error(ErrorKind::Usage, "no model is open");
            write_weights_file(engine_->program()->module().state_dict(), file);
        } catch (const Error& error) {
            failure = error.what();
        }
        reply(std::move(failure));
    });
}

void Session::request_keep_written(const Tag& tag, const std::filesystem::path& fresh_folder,
                                   const std::filesystem::path& to, Reply<std::string> reply) {
    engine_->request(tag, [fresh_folder, to, reply = std::move(reply)] {
        namespace fs = std::filesystem;
        std::error_code failed;
        fs::create_directories(to, failed);
        for (auto at = fs::directory_iterator(fresh_folder, failed); !failed && at != fs::directory_iterator();
             at.increment(failed)) {
            const fs::path target = to / at->path().filename();
            if (fs::exists(fs::symlink_status(target))) return reply(concat(target.string(), " is there already"));
        }
        if (!failed) fs::copy(fresh_folder, to, fs::copy_options::recursive | fs::copy_options::copy_symlinks, failed);
        reply(failed ? concat(to.string(), ": ", failed.message()) : std::string());
    });
}

void Session::set_parameter_requires_grad(const std::string& module, bool value) {
    engine_->request(concat("requires_grad ", module), [this, module, value] {
        if (!engine_->program()) return;
        if (const nn::ModulePtr found = engine_->program()->module().get_submodule(module))
            found->set_requires_grad(value);
    });
}

void Session::request_build_check(const Tag& tag, const BuildRequest& request, Reply<BuildCheck> reply) {
    engine_->request(tag, [request, reply = std::move(reply)] { reply(check_build(request)); });
}

namespace {

// The module of that path, or why there is none to change now.
template <typename Engine>
nn::ModulePtr changeable_module(Engine& engine, const std::string& path) {
    if (!engine.program()) throw Error(ErrorKind::Usage, "no model is open");
    const RunState state = engine.status().state;
    if (state == RunState::Paused || state == RunState::Running)
        throw Error(ErrorKind::Usage, "a run is under way; stop it first");
    const nn::ModulePtr found = engine.program()->module().get_submodule(path);
    if (!found) throw Error(ErrorKind::Usage, concat("no module '", path, "'"));
    return found;
}

template <typename Change>
std::string failure_of(Change&& change) {
    try {
        change();
        return {};
    } catch (const Error& error) {
        return error.what();
    }
}

}  // namespace

void Session::request_train_mode(const std::string& module, bool training, Reply<std::string> reply) {
    engine_->request(concat("mode ", module), [this, module, training, reply = std::move(reply)] {
        reply(failure_of([&] { changeable_module(*engine_, module)->train(training); }));
    });
}

void Session::request_reset_parameters(const std::string& module, std::uint64_t seed, Reply<std::string> reply) {
    engine_->request(concat("reset ", module), [this, module, seed, reply = std::move(reply)] {
        reply(failure_of([&] {
            const nn::ModulePtr root = changeable_module(*engine_, module);
            seed_generators(seed);
            if (!reset_tree(*root)) throw Error(ErrorKind::Usage, "no layer there knows how it was initialised");
        }));
    });
}

void Session::request_load_weights(const Tag& tag, const std::filesystem::path& file, bool strict,
                                   Reply<WeightsReport> reply) {
    engine_->request(tag, [this, file, strict, reply = std::move(reply)] {
        WeightsReport report;
        try {
            changeable_module(*engine_, {});
            report = engine_->load_weights(file, strict);
        } catch (const Error& error) {
            report.file = file.string();
            report.error = error.what();
        }
        reply(std::move(report));
    });
}

void Session::request_save_checkpoint(const Tag& tag, const std::filesystem::path& file, Reply<std::string> reply) {
    engine_->request(tag, [this, file, reply = std::move(reply)] {
        reply(failure_of([&] {
            if (engine_->trainer() == nullptr)
                throw Error(ErrorKind::Usage, "nothing was trained", {.hint = "save the weights instead"});
            engine_->trainer()->save(file);
        }));
    });
}

void Session::request_training_checkpoint(const Tag& tag, const std::filesystem::path& file, const TrainOptions& base,
                                          Reply<TrainingCheckpoint> reply) {
    engine_->request(tag, [file, base, reply = std::move(reply)] {
        TrainingCheckpoint found;
        try {
            found = read_training_checkpoint(file, base);
        } catch (const Error& error) {
            found.error = error.what();
        }
        reply(std::move(found));
    });
}

void Session::request_data_summary(const Tag& tag, const DataSpec& data, Reply<DataSummary> reply) {
    engine_->request(tag, [data, reply = std::move(reply)] {
        DataSummary summary;
        try {
            summary = describe_data(data);
        } catch (const Error& error) {
            summary.error = error.what();
        }
        reply(std::move(summary));
    });
}

void Session::wait_idle() { engine_->wait_idle(); }

}  // namespace loupe::session
