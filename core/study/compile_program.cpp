// SPDX-License-Identifier: Apache-2.0
#include "core/study/compile_program.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>

#include "core/autograd/grad_mode.h"
#include "core/autograd/observer.h"
#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/record/backward_roots.h"
#include "core/record/run_phases.h"
#include "core/runtime/graphs/graphed_call.h"
#include "core/study/autotune.h"
#include "core/study/kept_state.h"

namespace loupe::session {
namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point from) { return std::chrono::duration<double>(Clock::now() - from).count(); }

// One run, with backward where gradients are compiled too. Seconds.
double run_once(const PreparedMethod& method, std::vector<IValue> arguments, const BackwardSource* backward) {
    if (backward != nullptr) require_input_gradients(arguments);
    wait_for_devices();
    const auto from = Clock::now();
    run_phases(method, std::move(arguments), backward);
    wait_for_devices();
    return since(from);
}

// Median of several runs, seconds.
double time_run(const PreparedMethod& method, const KeptState& kept, bool backward,
                const std::function<std::vector<IValue>()>& arguments) {
    constexpr int kWarmup = 4;  // until programs have settled
    constexpr std::size_t kMost = 30;
    constexpr double kLong = 0.5;
    const ObserverScope unobserved(nullptr);
    std::optional<BackwardSource> source;
    if (backward) source.emplace(BackwardFrom(), method);
    std::vector<double> times;
    const auto timed_run = [&] {
        check_cancelled();
        kept.forget_gradients();
        return run_once(method, arguments(), source ? &*source : nullptr);
    };
    const auto begin = Clock::now();
    for (int i = 0; i < kWarmup && (i == 0 || since(begin) < kLong); ++i) timed_run();
    const auto timed = Clock::now();
    while (times.size() < 3 || (times.size() < kMost && since(timed) < kLong)) times.push_back(timed_run());
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

void note_capture(CompileReport& report, const runtime::GraphedCall& captured) {
    report.captured_nodes = static_cast<int>(captured.nodes());
    report.captured_backward_nodes = static_cast<int>(captured.backward_nodes());
    if (!captured.is_captured())
        report.not_captured = captured.why_not().empty() ? "it has run too few times" : captured.why_not();
}

// Buffers (of norms in training mode), gradients and random numbers are as before afterwards.
void measure(CompileReport& report, const std::shared_ptr<Program>& program, const Ptr<ir::Graph>& graph, bool backward,
             const std::function<std::vector<IValue>()>& arguments) {
    const KeptState kept(program->module());
    try {
        const double before = time_run(PreparedMethod(program, report.method, "none"), kept, backward, arguments);
        PreparedMethod compiled(program, report.method, graph->copy());
        const bool captures = parse_compile_mode(report.mode) != CompileMode::Default;
        if (captures) compiled.capture_work();
        report.seconds = time_run(compiled, kept, backward, arguments);
        if (captures) note_capture(report, *compiled.captured_work());
        report.seconds_before = before;
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Cancelled) throw;
        report.seconds = 0;
        report.not_timed = error.message();
    }
    kept.forget_gradients();
}

}  // namespace

CompiledProgram compile_program(const std::shared_ptr<Program>& program, const CompileRequest& request,
                                const std::function<std::vector<IValue>()>& arguments) {
    const ir::Graph& before = *program->method(request.method).graph();
    const nn::ModulePtr& module = program->script_module();
    const CompileOptions options{parse_compile_mode(request.mode), request.pipeline, request.backward, request.method};
    if (request.forget && options.mode == CompileMode::MaxAutotune) {
        std::error_code ignored;
        const std::string file = autotune_file(before, module, arguments());
        if (!file.empty()) std::filesystem::remove(file, ignored);
    }
    const auto start = Clock::now();
    CompiledMethod compiled = compile_method(options, before, module, arguments);
    CompiledProgram out;
    CompileReport& report = out.report;
    report.compile_seconds = since(start);
    report.mode = request.mode;
    report.method = request.method;
    report.pipeline = std::move(compiled.pipeline);
    report.in_force = std::move(compiled.in_force);
    report.kernels_before = compiled.kernels_before;
    report.kernels = compiled.kernels;
    report.breaks = std::move(compiled.breaks);
    report.tried = std::move(compiled.tried);
    report.parts = std::move(compiled.parts);
    report.file = std::move(compiled.file);
    report.is_from_disk = compiled.is_from_disk;
    report.complaint = std::move(compiled.complaint);
    if (request.measure) measure(report, program, compiled.graph, request.backward, arguments);
    out.graph = std::move(compiled.graph);
    return out;
}

std::string capture_note(const PreparedMethod& method) {
    const runtime::GraphedCall* const captured = method.captured_work();
    return captured == nullptr ? std::string() : captured->note();
}

}  // namespace loupe::session
