// SPDX-License-Identifier: Apache-2.0
#include "core/study/reference_run.h"

#include <optional>
#include <utility>

#include "core/autograd/grad_mode.h"
#include "core/autograd/variable.h"
#include "core/base/counted.h"
#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/model/script_output.h"
#include "core/ops/random/generator.h"
#include "core/record/gradients.h"
#include "core/record/replay.h"
#include "core/record/run_phases.h"
#include "core/runtime/interpreter/print.h"
#include "core/tensor/copy_elements.h"
#include "core/tensor/device_copy.h"
#include "core/value/map_tensors.h"

namespace loupe::session {
namespace {

void check_arguments(const Program& program, const std::string& method, std::size_t given, const std::string& label) {
    const auto& arguments = program.schema(method).arguments;
    std::size_t most = 0;
    std::size_t least = 0;
    for (std::size_t i = 1; i < arguments.size(); ++i) {
        ++most;
        if (!arguments[i].default_value) ++least;
    }
    if (given >= least && given <= most) return;
    throw Error(ErrorKind::Usage, concat(label, " takes ", counted(most, "input"), ", this run has ", given));
}

// Leaves of their own, so that no run writes to what another reads.
Tensor argument_for(const Tensor& t, Device device, std::optional<ScalarType> dtype) {
    if (!t.defined()) return t;
    const GradModeScope no_grad(false);
    Tensor copy = on_device(copy_elements(t), device);
    if (dtype && is_floating(copy.dtype()) && copy.dtype() != *dtype)
        copy = fn::to_dtype(copy, static_cast<std::int64_t>(*dtype), false, false, IValue());
    return copy;
}

std::optional<ScalarType> wanted_dtype(const std::string& name) {
    if (name.empty()) return std::nullopt;
    const auto dtype = dtype_from_name(name.starts_with("torch.") ? name.substr(6) : name);
    if (!dtype || !is_floating(*dtype))
        throw Error(ErrorKind::Usage, concat("no floating dtype '", name, "'"),
                    {.hint = "float64, float32, bfloat16 or float16"});
    return dtype;
}

// After the run, while the model is as the run left it.
void time_run(const ReferenceRequest& request, const RunStart& start, const PreparedMethod& method,
              const BackwardSource* backward, Recorder& recorder) {
    static const CancelFlag kNever{false};
    const RunBody body = [&](std::vector<IValue> arguments) { run_phases(method, std::move(arguments), backward); };
    recorder.set_warm_times(time_operators(*recorder.recording(), *request.timed, [&](int count, const auto& each) {
        repeat_run(start, method, body, recorder, count, each, request.cancel != nullptr ? *request.cancel : kNever);
    }));
}

}  // namespace

ComparedRun compared_recording(std::shared_ptr<const Recorder> recorder, std::shared_ptr<const ModelInfo> model,
                               std::vector<GradientRow> gradients, std::string label) {
    ComparedRun run;
    run.label = std::move(label);
    run.recording = recorder->recording();
    run.gradients = std::move(gradients);
    auto own = std::make_shared<ModelInfo>(*model);
    own->graph = recorder->shared_graph();
    run.model = std::move(own);
    run.elements = [recorder = std::move(recorder)](ValueId id) { return recorder->values().find(id); };
    return run;
}

ComparedRun record_reference(const ReferenceRequest& request) {
    Program& program = *request.program;
    const auto dtype = wanted_dtype(request.dtype);
    const Device device = parse_device(request.options.device);
    const std::string method = request.options.method;
    set_thread_count(request.options.threads);
    seed_generators(request.options.seed);
    if (request.options.training) program.module().train(*request.options.training);
    program.module().zero_grad();
    program.to(device);
    if (dtype) program.module().to({.dtype = *dtype});
    std::vector<IValue> arguments = request.arguments();
    check_arguments(program, method, arguments.size(), request.label);
    for (IValue& argument : arguments) {
        argument = copy_with_tensors(argument, [&](const Tensor& t) { return argument_for(t, device, dtype); });
    }
    program.trace_with(arguments);
    const auto prepared = std::make_shared<PreparedMethod>(request.program, method, request.options.pipeline);
    std::unique_ptr<BackwardSource> backward;
    if (request.options.backward) {
        require_input_gradients(arguments);
        backward = std::make_unique<BackwardSource>(request.options.backward_from, *prepared, request.options.seed);
    }
    seed_generators(request.options.seed);
    RecorderOptions kept;
    kept.opens_operators = request.options.opens_operators;
    kept.left_out = request.options.left_out;
    kept.budget = {request.options.memory_budget, request.options.file_budget};
    std::shared_ptr<Recorder> recorder =
        make_recorder(std::move(kept), *prepared, program.module(), arguments, prepared->schema());
    std::optional<RunStart> start;
    if (request.timed) start.emplace(program.module(), arguments, prepared->schema());
    std::string failure;
    try {
        const WarningScope no_warnings([](const ScriptWarning&) {});
        const runtime::PrintScope no_prints([](std::string_view) {});
        record(program, *recorder, [&] { run_phases(*prepared, arguments, backward.get()); });
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Cancelled) throw;
        failure = concat(request.label, " failed: ", error.message());
    }
    std::vector<GradientRow> gradients;
    if (request.options.backward) gradients = gradient_rows(program.module(), recorder.get());
    if (start && failure.empty()) time_run(request, *start, *prepared, backward.get(), *recorder);
    recorder->protect_existing();
    ComparedRun run = compared_recording(recorder, program.info(), std::move(gradients), request.label);
    run.opened = std::make_shared<const OpenedGraph>(open_graph(program, *prepared, recorder->shared_graph()));
    if (!failure.empty()) run.notes.push_back(std::move(failure));
    return run;
}

}  // namespace loupe::session
