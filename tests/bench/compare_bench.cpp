// SPDX-License-Identifier: Apache-2.0
// What comparing runs costs: bench_compare MODEL [REPEATS] prints the times, in milliseconds, of a recorded run, of the
// alignment of two, and of the whole comparison with all elements; of each the least.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "core/base/error.h"
#include "core/model/program.h"
#include "core/plugin/plugin_loader.h"
#include "core/study/align_runs.h"
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
    // Another model, so that parameters are compared too.
    request.program = Program::open(model);
    ComparedRun own;
    const double recorded = least(times, [&] { own = record_reference(request); });
    const double aligned = least(times, [&] {
        align_runs({*own.recording, own.model.get()}, {*reference.recording, reference.model.get()});
    });
    RunDifferences found;
    const double compared = least(times, [&] { found = compare_runs_by_value(own, reference, {}); });
    std::printf(
        "events %zu\nrecorded run %.1f ms\nalignment %.2f ms\ncomparison %.1f ms\nmode %.3f of a recorded run\n%s\n",
        own.recording->event_count(), recorded, aligned, compared, (recorded + compared) / recorded,
        found.headline().c_str());
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
