// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "core/base/strings.h"
#include "core/study/plan_memory.h"

namespace loupe::cli {
namespace {

using session::MemoryPlanReport;
using session::PlannedMemory;
using session::PlannedPart;

constexpr const char* kUses[] = {"value", "result", "scratch"};

std::string bytes_text(std::int64_t bytes) { return format_bytes(static_cast<double>(bytes)); }

void print_part(const PlannedPart& part, std::size_t number) {
    if (!part.refusal.empty() || part.steps.empty()) {
        std::printf("part %zu: runs as before%s%s\n", number, part.refusal.empty() ? "" : ": ", part.refusal.c_str());
        return;
    }
    std::printf("part %zu: %zu steps, %zu buffers of %s in a block of %s and results of %s, predicted peak %s\n",
                number, part.steps.size(), part.buffers.size(), bytes_text(part.total_bytes).c_str(),
                bytes_text(part.block_bytes).c_str(), bytes_text(part.result_bytes).c_str(),
                bytes_text(part.peak_bytes).c_str());
}

void print_buffers(const PlannedPart& part) {
    std::printf("%6s %6s %12s %12s  %-8s %s\n", "first", "last", "offset", "bytes", "use", "step");
    for (const PlannedMemory& buffer : part.buffers) {
        const std::string place = buffer.use == PlannedMemory::Use::Result ? "-" : std::to_string(buffer.offset);
        const auto& step = part.steps[static_cast<std::size_t>(buffer.first)];
        std::printf("%6d %6d %12s %12lld  %-8s %s%s%s%s\n", buffer.first, buffer.last, place.c_str(),
                    static_cast<long long>(buffer.bytes), kUses[static_cast<std::size_t>(buffer.use)], step.op.c_str(),
                    step.scope.empty() ? "" : " in ", step.scope.c_str(),
                    buffer.takes_over >= 0 ? concat(", in place of buffer ", buffer.takes_over).c_str() : "");
    }
}

void print_report(const MemoryPlanReport& report, bool buffers) {
    for (std::size_t i = 0; i < report.parts.size(); ++i) {
        print_part(report.parts[i], i + 1);
        if (buffers && !report.parts[i].steps.empty()) print_buffers(report.parts[i]);
    }
    std::printf(
        "predicted %s planned, %s without sharing; measured peak %s planned, %s by the interpreter; %lld allocations a "
        "run\n",
        bytes_text(report.planned_bytes).c_str(), bytes_text(report.unplanned_bytes).c_str(),
        bytes_text(report.planned_peak).c_str(), bytes_text(report.interpreter_peak).c_str(),
        static_cast<long long>(report.allocations));
    std::printf("graph breaks: %zu\n", report.breaks.size());
    for (const session::GraphBreak& found : report.breaks) std::printf("  %s\n", found.line().text().c_str());
}

nlohmann::json json_of(const PlannedPart& part) {
    nlohmann::json buffers = nlohmann::json::array();
    for (const PlannedMemory& buffer : part.buffers) {
        buffers.push_back({{"use", kUses[static_cast<std::size_t>(buffer.use)]},
                           {"bytes", buffer.bytes},
                           {"offset", buffer.offset},
                           {"first", buffer.first},
                           {"last", buffer.last},
                           {"takes_over", buffer.takes_over}});
    }
    nlohmann::json steps = nlohmann::json::array();
    for (const session::PlannedStep& step : part.steps)
        steps.push_back({{"op", step.op}, {"scope", step.scope}, {"live_bytes", step.live_bytes}});
    return {{"refusal", part.refusal},
            {"steps", steps},
            {"buffers", buffers},
            {"block_bytes", part.block_bytes},
            {"result_bytes", part.result_bytes},
            {"total_bytes", part.total_bytes},
            {"peak_bytes", part.peak_bytes}};
}

nlohmann::json json_of(const MemoryPlanReport& report) {
    nlohmann::json parts = nlohmann::json::array();
    for (const PlannedPart& part : report.parts) parts.push_back(json_of(part));
    nlohmann::json breaks = nlohmann::json::array();
    for (const session::GraphBreak& found : report.breaks) {
        breaks.push_back({{"op", found.op},
                          {"scope", found.scope},
                          {"file", found.source.file},
                          {"line", found.source.line},
                          {"reason", found.reason.text()}});
    }
    return {{"pipeline", report.pipeline},
            {"parts", parts},
            {"breaks", breaks},
            {"planned_bytes", report.planned_bytes},
            {"unplanned_bytes", report.unplanned_bytes},
            {"planned_peak", report.planned_peak},
            {"interpreter_peak", report.interpreter_peak},
            {"allocations", report.allocations}};
}

}  // namespace

int run_plan(const PlanArguments& options) {
    RunArguments run = options.run;
    if (run.mode.empty()) run.mode = "eval";
    const auto program = open_program(run);
    if (!program) return 0;
    trace_program(*program, run);
    const std::string method = run.method.empty() ? program->default_method() : run.method;
    const auto arguments = [&] { return run_inputs(*program, run, method); };
    const MemoryPlanReport report = session::plan_memory(run.pipeline, *program->method(method).graph(),
                                                         program->script_module(), method, arguments);
    if (run.json)
        std::printf("%s\n", json_of(report).dump().c_str());
    else
        print_report(report, options.buffers);
    return 0;
}

}  // namespace loupe::cli
