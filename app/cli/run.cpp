// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <new>

#include "app/cli/changes.h"
#include "app/cli/commands.h"
#include "app/cli/ranks.h"
#include "app/cli/written_files.h"
#include "core/base/counted.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/model/script_output.h"
#include "core/python/language/file_notice.h"
#include "core/record/compute_statistics.h"
#include "core/record/finite_check.h"
#include "core/record/gradients.h"
#include "core/record/recording_file.h"
#include "core/record/run_phases.h"
#include "core/runtime/interpreter/print.h"
#include "core/study/source_verdict.h"

namespace loupe::cli {
namespace {

void print_results(const TensorList& outputs) {
    for (std::size_t i = 0; i < outputs.size(); ++i) std::printf("out%zu  %s\n", i, describe(outputs[i]).c_str());
}

TensorList execute_recorded(const PreparedRun& run, const RunArguments& options,
                            const std::vector<session::ValueChange>& changes) {
    const bool keeps = !options.record_file.empty();
    const auto recorder = make_recorder(run, {.statistics = options.stats || keeps,
                                              .values = keeps && !options.no_values,
                                              .opens_operators = options.parts,
                                              .changes = changes});
    const auto save = [&] {
        if (keeps) session::save_recording(*run.program, *run.method, *recorder, run.options, options.record_file);
    };
    TensorList outputs;
    try {
        session::record(*run.program, *recorder, [&] { outputs = execute(run); });
    } catch (const Error&) {
        save();  // up to the failure
        throw;
    }
    save();
    const session::Recording& recording = *recorder->recording();
    if (options.stats) print_stats(recording);
    if (!options.trace_file.empty()) write_trace(recording, options.trace_file);
    if (options.stats || keeps) {
        session::RunFacts facts;
        if (session::starts_from_loss(recording))
            facts.gradients = session::gradient_rows(run.program->module(), recorder.get());
        print_verdict(session::conclude(recording, run.options, std::move(facts)));
    }
    return outputs;
}

std::int64_t bad_tensors(const NamedTensors& all) {
    return std::count_if(all.begin(), all.end(), [](const auto& each) { return !session::is_all_finite(each.second); });
}

// Of parameters.
std::int64_t zero_gradients(const NamedTensors& all) {
    return std::count_if(all.begin(), all.end(), [](const auto& each) {
        if (!each.first.starts_with("grad.param.") || each.second.numel() == 0) return false;
        return session::compute_statistics(each.second).zero_count == each.second.numel();
    });
}

// The run once more, from the file on, to see where what is not finite begins. What the program prints, notes and
// writes it has given already.
session::Verdict find_cause(const RunArguments& options) {
    const runtime::PrintScope silent([](std::string_view) {});
    const session::WarningScope unwarned([](const session::ScriptWarning&) {});
    const python::FileNoticeScope unnoted([](const python::FileNotice& notice) {
        if (notice.kind == python::FileNotice::Kind::Left)
            print_notice(notice.line());  // of a source that did not open again
    });
    RunArguments again = options;
    again.stats = true;
    again.notice = [](const std::string&) {};
    const PreparedRun run = prepare_model(again);
    if (run.program->file().files != nullptr) run.program->file().files->discard();
    const auto recorder = make_recorder(run, {.statistics = true, .values = false});
    session::record(*run.program, *recorder, [&] { execute(run); });
    std::shared_ptr<const session::Verdict> opening;
    if (const auto found = session::conclude_opening(*run.program); found && options.weights.empty())
        opening = std::make_shared<session::Verdict>(*found);
    return session::conclude(*recorder->recording(), run.options, {.opening = opening});
}

// The run itself has succeeded: what the second one throws is no failure of the command.
session::Verdict cause_or_count(const RunArguments& options, std::int64_t bad, std::size_t all) {
    std::string why;
    try {
        return find_cause(options);
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Cancelled) throw;
        why = error.what();
    } catch (const std::bad_alloc&) {
        why = "out of memory";
    }
    session::Verdict verdict;
    verdict.severity = session::Verdict::Severity::Error;
    verdict.text = concat("finished: ", bad, " of ", all, " results hold NaN or Inf; the cause was not found: ", why);
    return verdict;
}

// Of a run that was not watched: its ends are looked at, and where they are not finite, the cause is looked for.
void print_run_verdict(const PreparedRun& run, const TensorList& outputs, const RunArguments& options) {
    const bool is_backward = run.backward != nullptr;
    const NamedTensors ends =
        collect_outputs(run, outputs, {.arguments = is_backward, .parameters = is_backward, .norms = false});
    if (const std::int64_t bad = bad_tensors(ends); bad > 0)
        return print_verdict(cause_or_count(options, bad, ends.size()));
    session::Verdict verdict;
    const std::size_t gradients = ends.size() - outputs.size();
    verdict.text = concat("finished: ", counted(outputs.size(), "output"),
                          is_backward ? concat(" and ", gradients, gradients == 1 ? " gradient" : " gradients") : "",
                          " without NaN or Inf");
    if (const std::int64_t zero = zero_gradients(ends); zero > 0)
        verdict.text += concat("; ", counted(zero, "parameter has", "parameters have"),
                               " a gradient of zeros only: --stats looks for the layer that stops it");
    print_verdict(verdict);
}

}  // namespace

void print_verdict(const session::Verdict& verdict) {
    std::fflush(stdout);  // on one terminal standard error follows the results
    std::fprintf(stderr, "verdict: %s\n", verdict.line().text().c_str());
}

int run_run(const RunArguments& options) {
    if (runs_as_program(options)) return run_program(options);
    join_ranks();
    check_npz_name({"--outputs", options.outputs_file});
    check_written_files(
        {{"--outputs", options.outputs_file}, {"--trace", options.trace_file}, {"--record", options.record_file}},
        read_files(options));
    check_not_taken_by_source({"--outputs", options.outputs_file}, options.model);
    const UnchangedRun before = options.changes.empty() ? UnchangedRun() : run_unchanged(options);
    PreparedRun run = prepare_run(options);
    if (!run.program) return 0;  // a program without a model: it has run
    if (run.text_model) print_tokens(run.tokens);
    const bool is_watched = options.stats || !options.record_file.empty();
    const bool is_recorded = is_watched || !options.trace_file.empty() || !before.changes.empty();
    run.options.changes = before.changes;
    const TensorList outputs = is_recorded ? execute_recorded(run, options, before.changes) : execute(run);
    if (!options.outputs_file.empty()) {
        write_npz(options.outputs_file, collect_outputs(run, outputs,
                                                        {.arguments = options.backward,
                                                         .parameters = options.backward && !options.grad_norms,
                                                         .norms = options.grad_norms}));
    }
    if (!options.stats) print_results(outputs);
    if (run.text_model) print_next_words(*run.text_model, outputs);
    if (!before.changes.empty()) note_effects(options, before, outputs);
    if (!is_watched) print_run_verdict(run, outputs, options);
    leave_ranks("");
    return 0;
}

}  // namespace loupe::cli
