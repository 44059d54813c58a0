// SPDX-License-Identifier: Apache-2.0
#include "core/session/session.h"

#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/io/npy.h"
#include "core/session/compute_statistics.h"
#include "core/session/engine.h"
#include "core/session/pipelines.h"
#include "core/session/tensor_slice.h"
#include "core/session/watch.h"

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

FoundTensor find_tensor(const std::shared_ptr<Program>& program, const Recorder* recorder, const TensorRequest& request) {
    if (request.value != 0) {
        if (recorder == nullptr || request.value > recorder->recording()->value_count()) {
            throw Error(ErrorKind::Usage, "this value is of a run that is gone");
        }
        const Tensor t = recorder->values().find(request.value);
        if (!t.defined()) throw Error(ErrorKind::Usage, "the elements of this value were not kept", {.hint = "run again with values recorded"});
        return {t, recorder->recording()->value(request.value).name};
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

TensorSlice look_at_tensor(const std::shared_ptr<Program>& program, const Recorder* recorder, const TensorRequest& request) {
    try {
        const FoundTensor found = find_tensor(program, recorder, request);
        TensorSlice out = reduce_tensor(found.tensor, request);
        out.value = request.value;
        out.name = found.name;
        if (recorder != nullptr) {
            if (out.value == 0) out.value = recorder->find_value(found.tensor);
            // The recorded storage, also when the elements were copied away from it since.
            if (request.value != 0) out.storage_id = recorder->recording()->value(request.value).storage_id;
            add_history(*recorder->recording(), out);
        }
        return out;
    } catch (const Error& error) {
        TensorSlice out;
        out.error = error.what();
        return out;
    }
}

std::vector<GradientRow> gradient_rows(const std::shared_ptr<Program>& program, const Recorder* recorder) {
    std::vector<GradientRow> rows;
    if (!program) return rows;
    for (const auto& [name, parameter] : program->module().named_parameters()) {
        GradientRow row;
        row.parameter = name;
        const auto dot = name.rfind('.');
        row.module = dot == std::string::npos ? "" : name.substr(0, dot);
        row.shape.assign(parameter.sizes().begin(), parameter.sizes().end());
        row.weight_norm = compute_statistics(parameter).norm;
        if (const Tensor grad = grad_of(parameter); grad.defined()) {
            const Statistics statistics = compute_statistics(grad);
            row.has_gradient = true;
            row.mean_abs = statistics.abs_mean;
            row.max_abs = statistics.abs_max;
            row.norm = statistics.norm;
            row.zero_fraction = statistics.count > 0 ? static_cast<double>(statistics.zero_count) / static_cast<double>(statistics.count) : 0;
            row.nan_count = statistics.nan_count;
            row.inf_count = statistics.inf_count;
        }
        if (recorder != nullptr) {
            row.event = recorder->accumulated_at(parameter);
            if (row.event != 0) {
                const Event& event = recorder->recording()->event(row.event);
                if (!event.inputs.empty()) row.value = event.inputs.front();
            }
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace

Session::Session(SessionListener* listener) : engine_(std::make_unique<Engine>(listener)) {}
Session::~Session() = default;

void Session::open(const std::filesystem::path& file) { engine_->open(file); }
void Session::close() { engine_->close(); }
void Session::run(const RunOptions& options) {
    engine_->control().order_continue();
    engine_->run(options);
}

void Session::resume() {
    engine_->control().order_continue();
    engine_->go_on();
}
void Session::pause() { engine_->control().order_pause(); }
void Session::stop() { engine_->stop(); }

void Session::step(StepKind kind) {
    if (status().state == RunState::Paused) engine_->control().order_step(kind);
    else engine_->control().order_pause();  // a new run parks at its first point
    engine_->go_on();
}
void Session::run_to_node(int graph_node) {
    engine_->control().order_node(graph_node);
    engine_->go_on();
}
void Session::run_to_phase(RunPhase phase) {
    engine_->control().order_phase(phase);
    engine_->go_on();
}
void Session::run_to_nan() {
    engine_->control().order_nan();
    engine_->go_on();
}

int Session::add_breakpoint(const Breakpoint& breakpoint) { return engine_->control().add(breakpoint); }
void Session::update_breakpoint(const Breakpoint& breakpoint) { engine_->control().update(breakpoint); }
void Session::remove_breakpoint(int id) { engine_->control().remove(id); }
std::vector<Breakpoint> Session::breakpoints() const { return engine_->control().breakpoints(); }

Status Session::status() const { return engine_->status(); }
std::shared_ptr<const ModelInfo> Session::model() const { return engine_->model(); }
std::shared_ptr<const Recording> Session::recording() const { return engine_->recording(); }
std::vector<InputSpec> Session::inputs() const { return engine_->inputs(); }
void Session::set_inputs(std::vector<InputSpec> inputs) { engine_->set_inputs(std::move(inputs)); }

void Session::request_tensor(const Tag& tag, const TensorRequest& request, Reply<TensorSlice> reply) {
    engine_->request(tag, [this, request, reply = std::move(reply)] {
        reply(look_at_tensor(engine_->program(), engine_->recorder(), request));
    });
}

void Session::request_gradients(const Tag& tag, Reply<std::vector<GradientRow>> reply) {
    engine_->request(tag, [this, reply = std::move(reply)] { reply(gradient_rows(engine_->program(), engine_->recorder())); });
}

void Session::request_passes(const Tag& tag, const std::string& pipeline, const std::string& method, Reply<PassTrace> reply) {
    engine_->request(tag, [this, pipeline, method, reply = std::move(reply)] {
        PassTrace trace;
        try {
            if (!engine_->program()) throw Error(ErrorKind::Usage, "no model is open");
            const ir::ScriptFunction& function = engine_->program()->method(method);
            trace = trace_pipeline(pipeline, *function.graph(), engine_->program()->file().module, method);
        } catch (const Error& error) {
            trace.pipeline = pipeline;
            trace.error = error.what();
        }
        reply(std::move(trace));
    });
}

void Session::request_watch(const Tag& tag, const std::string& expression, EventId at, Reply<std::string> reply) {
    engine_->request(tag, [this, expression, at, reply = std::move(reply)] {
        const Recorder* recorder = engine_->recorder();
        reply(recorder == nullptr ? "nothing was recorded" : evaluate_watch(*recorder->recording(), expression, at));
    });
}

void Session::request_save(const Tag& tag, const TensorRequest& what, const std::filesystem::path& file, Reply<std::string> reply) {
    engine_->request(tag, [this, what, file, reply = std::move(reply)] {
        std::string failure;
        try {
            write_npy(file, slice_tensor(find_tensor(engine_->program(), engine_->recorder(), what).tensor, what.slice));
        } catch (const Error& error) {
            failure = error.what();
        }
        reply(std::move(failure));
    });
}

void Session::set_parameter_requires_grad(const std::string& module, bool value) {
    engine_->request(concat("requires_grad ", module), [this, module, value] {
        if (!engine_->program()) return;
        if (const nn::ModulePtr found = engine_->program()->module().get_submodule(module)) found->set_requires_grad(value);
    });
}

void Session::wait_idle() { engine_->wait_idle(); }

}  // namespace loupe::session
