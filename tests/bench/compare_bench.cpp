// SPDX-License-Identifier: Apache-2.0
// What comparing runs costs: bench_compare MODEL [REPEATS] prints the times, in milliseconds, of a recorded run, of the
// alignment of two, and of the whole comparison with all elements, with another run of the model and with one of
// another model, whose parameters are compared too, and of a run that is compared with that other model on the way; of
// each the least.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "core/base/error.h"
#include "core/model/program.h"
#include "core/plugin/plugin_loader.h"
#include "core/study/align_runs.h"
#include "core/study/compare_ahead.h"
#include "core/study/reference_run.h"
#include "core/study/run_differences.h"

using namespace loupe;
using namespace loupe::session;

namespace {

template <typename Work>
double least(int times, const Work& work) {
    double best = std::numeric_limits<double>::infinity();
    for (int i = 0; i < times; ++i) {
        const auto start = std::chrono::steady_clock::now();
        work();
        const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
        best = std::min(best, took.count());
    }
    return best;
}

int run(const char* model, int times) {
    plugins();
    ReferenceRequest request;
    request.program = Program::open(model);
    request.options.method = request.program->default_method();
    request.options.inputs = request.program->default_inputs(request.options.method);
    request.label = "reference";
    request.arguments = [&] { return request.program->make_arguments(request.options.inputs, request.options.method); };
    const ComparedRun reference = record_reference(request);
    const ComparedRun again = record_reference(request);
    request.program = Program::open(model);
    ComparedRun own;
    const double recorded = least(times, [&] { own = record_reference(request); });
    const double aligned = least(times, [&] {
        align_runs({*own.recording, own.model.get()}, {*reference.recording, reference.model.get()});
    });
    RunDifferences found;
    const double compared = least(times, [&] { found = compare_runs_by_value(own, reference, {}); });
    const double repeated = least(times, [&] { compare_runs_by_value(again, reference, {}); });
    // With the other run while the run is under way.
    RunDifferences ahead;
    const double on_the_way = least(times, [&] {
        request.ahead = std::make_shared<AheadComparison>(reference, CompareOptions{});
        const ComparedRun compared_own = record_reference(request);
        request.ahead->end();
        ahead = compare_runs_by_value(compared_own, reference, {});
    });
    double bytes = 0;  // of both runs
    for (EventId id = 1; id <= own.recording->event_count(); ++id) {
        for (const ValueId value : own.recording->event(id).outputs)
            bytes += 2 * static_cast<double>(own.recording->value(value).bytes);
    }
    std::printf("results %.0f MB in both, read at %.1f GB/s\n", bytes / 1e6, bytes / repeated / 1e6);
    std::printf("events %zu\nrecorded run %.1f ms\nalignment %.2f ms\n", own.recording->event_count(), recorded,
                aligned);
    std::printf("comparison with another run %.1f ms: mode %.3f of a recorded run\n", repeated,
                (recorded + repeated) / recorded);
    std::printf("comparison with another model %.1f ms: mode %.3f of a recorded run\n%s\n", compared,
                (recorded + compared) / recorded, found.headline().c_str());
    std::printf("recorded and compared on the way %.1f ms: mode %.3f of a recorded run\n%s\n", on_the_way,
                on_the_way / recorded, ahead.headline().c_str());
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fprintf(stderr, "bench_compare MODEL [REPEATS]\n");
        return 2;
    }
    try {
        return run(argv[1], argc > 2 ? std::max(1, std::atoi(argv[2])) : 3);
    } catch (const Error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
