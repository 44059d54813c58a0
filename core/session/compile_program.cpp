// SPDX-License-Identifier: Apache-2.0
#include "core/session/compile_program.h"

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "core/autograd/grad_mode.h"
#include "core/autograd/observer.h"
#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/ops/random/generator.h"

namespace loupe::session {
namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point from) { return std::chrono::duration<double>(Clock::now() - from).count(); }

// Median of several runs, seconds.
double time_run(const PreparedMethod& method, const std::function<std::vector<IValue>()>& arguments) {
    constexpr int kWarmup = 4;  // until programs have settled
    constexpr std::size_t kMost = 30;
    constexpr double kLong = 0.5;
    const GradModeScope no_grad(false);
    const ObserverScope unobserved(nullptr);
    std::vector<double> times;
    const auto begin = Clock::now();
    for (int i = 0; i < kWarmup && (i == 0 || since(begin) < kLong); ++i) method.forward(arguments());
    const auto timed = Clock::now();
    while (times.size() < 3 || (times.size() < kMost && since(timed) < kLong)) {
        check_cancelled();
        std::vector<IValue> given = arguments();
        const auto from = Clock::now();
        method.forward(std::move(given));
        times.push_back(since(from));
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

void measure(CompileReport& report, const std::shared_ptr<Program>& program, const Ptr<ir::Graph>& graph, const std::function<std::vector<IValue>()>& arguments) {
    const Generator::State random = default_generator().state();
    report.seconds_before = time_run(PreparedMethod(program, report.method, "none"), arguments);
    report.seconds = time_run(PreparedMethod(program, report.method, graph->copy()), arguments);
    default_generator().set_state(random);
}

}  // namespace

CompiledProgram compile_program(const std::shared_ptr<Program>& program, const CompileRequest& request, const std::function<std::vector<IValue>()>& arguments) {
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
    report.breaks = std::move(compiled.breaks);
    report.tried = std::move(compiled.tried);
    report.parts = std::move(compiled.parts);
    report.file = std::move(compiled.file);
    report.is_from_disk = compiled.is_from_disk;
    report.complaint = std::move(compiled.complaint);
    // Runs of a module in training mode leave traces.
    if (request.measure && !module->is_training() && !request.backward) measure(report, program, compiled.graph, arguments);
    out.graph = std::move(compiled.graph);
    return out;
}

}  // namespace loupe::session
