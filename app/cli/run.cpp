// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "app/cli/commands.h"
#include "app/cli/written_files.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/session/recording_file.h"

namespace loupe::cli {
namespace {

void print_results(const TensorList& outputs) {
    for (std::size_t i = 0; i < outputs.size(); ++i) std::printf("out%zu  %s\n", i, describe(outputs[i]).c_str());
}

void name_tensors(const PreparedRun& run, session::Recorder& recorder) {
    session::name_existing_tensors(recorder, run.program->module(), run.arguments, run.method->schema());
}

TensorList execute_recorded(const PreparedRun& run, const RunArguments& options) {
    const bool keeps = !options.record_file.empty();
    session::Recorder recorder({.statistics = options.stats || keeps, .values = keeps}, run.method->build_graph(), nullptr, nullptr);
    if (keeps) name_tensors(run, recorder);
    TensorList outputs;
    try {
        const ObserverScope observed(&recorder);
        const session::StatementScope statements(*run.program, recorder);
        outputs = execute(run);
    } catch (const Error&) {
        // What was recorded before the failure is what one wants to look at.
        recorder.finish();
        if (keeps) session::save_recording(*run.program, recorder, run.options, options.record_file);
        throw;
    }
    recorder.finish();
    if (keeps) session::save_recording(*run.program, recorder, run.options, options.record_file);
    if (options.stats) print_stats(*recorder.recording());
    if (!options.trace_file.empty()) write_trace(*recorder.recording(), options.trace_file);
    return outputs;
}

}  // namespace

int run_run(const RunArguments& options) {
    check_npz_name({"--outputs", options.outputs_file});
    check_written_files({{"--outputs", options.outputs_file}, {"--trace", options.trace_file}, {"--record", options.record_file}},
                        {{"the model", options.model}, {"--inputs", options.inputs_file}, {"--weights", options.weights}});
    const PreparedRun run = prepare_run(options);
    if (!run.program) return 0;  // a program without a model: it has run
    const bool records = options.stats || !options.trace_file.empty() || !options.record_file.empty();
    const TensorList outputs = records ? execute_recorded(run, options) : execute(run);
    if (!options.outputs_file.empty()) {
        write_npz(options.outputs_file, collect_outputs(run, outputs,
                                                         {.arguments = options.backward,
                                                          .parameters = options.backward && !options.grad_norms,
                                                          .norms = options.grad_norms}));
    }
    if (!options.stats) print_results(outputs);
    return 0;
}

}  // namespace loupe::cli
