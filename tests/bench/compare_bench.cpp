// SPDX-License-Identifier: Apache-2.0
// What comparing runs costs: bench_compare MODEL [REPEATS] prints the times, in milliseconds, of a recorded run, of the
// alignment of two, and of the whole comparison with all elements, with another run of the model and with one of
// another model, whose parameters are compared too; of each the median. Reading both runs is the most of it. To compare
// each result while it runs, in the cache, saves the half of the reading and costs that in cache misses of the next
// operators: the mode was 1.15 to 1.18 so, where it is 1.16 to 1.20 behind the run (resnet152, batch 1, two cores).
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

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
double milliseconds(const Work& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
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
    // All of a round one after the other, so that what slows the machine slows all of them.
    std::vector<double> recorded, aligned, compared, repeated, behind;
    ComparedRun own;
    RunDifferences found;
    for (int i = 0; i < times; ++i) {
        recorded.push_back(milliseconds([&] { own = record_reference(request); }));
        aligned.push_back(milliseconds([&] {
            align_runs({*own.recording, own.model.get()}, {*reference.recording, reference.model.get()});
        }));
        compared.push_back(milliseconds([&] { found = compare_runs_by_value(own, reference, {}); }));
        repeated.push_back(milliseconds([&] { compare_runs_by_value(again, reference, {}); }));
        behind.push_back((recorded.back() + compared.back()) / recorded.back());
    }
    double bytes = 0;  // of both runs
    for (EventId id = 1; id <= own.recording->event_count(); ++id) {
        for (const ValueId value : own.recording->event(id).outputs)
            bytes += 2 * static_cast<double>(own.recording->value(value).bytes);
    }
    std::printf("results %.0f MB in both, read at %.1f GB/s\n", bytes / 1e6, bytes / median(repeated) / 1e6);
    std::printf("events %zu\nrecorded run %.1f ms\nalignment %.2f ms\n", own.recording->event_count(), median(recorded),
                median(aligned));
    std::printf("comparison with another run of the model %.1f ms\n", median(repeated));
    std::printf("comparison with another model %.1f ms: mode %.3f of a recorded run\n%s\n", median(compared),
                median(behind), found.headline().c_str());
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
