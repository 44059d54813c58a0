// SPDX-License-Identifier: Apache-2.0
// A source that runs as a program: whole, with its main block, recorded from its first line where that is asked for.

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <thread>

#include "app/cli/commands.h"
#include "app/cli/ranks.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/parallel.h"
#include "core/base/strings.h"
#include "core/distributed/world.h"
#include "core/model/describe_roots.h"
#include "core/model/script_output.h"
#include "core/ops/random/generator.h"
#include "core/plugin/plugin_loader.h"
#include "core/python/model_source.h"
#include "core/record/gradients.h"
#include "core/record/recording_file.h"
#include "core/record/run_phases.h"
#include "core/session/remote/rank_guard.h"
#include "core/study/source_verdict.h"

namespace loupe::cli {
namespace {

namespace fs = std::filesystem;

// What a recording says of what ran.
session::ModelInfo info_of(const RunArguments& options, const python::SourceRun& run,
                           const session::Recorder& recorder) {
    session::ModelInfo info;
    info.path = fs::absolute(options.model).string();
    info.title = fs::path(options.model).filename().string();
    info.format = "Python program";
    std::error_code failure;
    info.file_bytes = static_cast<std::int64_t>(fs::file_size(options.model, failure));
    session::describe_roots(recorder.called_roots(), info);
    for (const auto& source : run.sources)
        info.sources.push_back(
            {.name = source->file().value_or(""), .text = std::string(source->text()), .is_original = true});
    info.graph = std::make_shared<const session::GraphModel>();
    info.cannot_run = "a program that ran from its first line to its last";
    return info;
}

void run_recorded(const RunArguments& options, python::SourceRun& run) {
    const bool keeps = !options.record_file.empty();
    session::BuiltGraph graph;
    graph.model = std::make_shared<const session::GraphModel>();
    session::Recorder recorder(
        {.statistics = options.stats || keeps, .values = keeps && !options.no_values, .opens_operators = options.parts},
        std::move(graph), nullptr, nullptr);
    const auto save = [&] {
        if (!keeps) return;
        session::write_recording(file_of_rank(options.record_file), info_of(options, run, recorder),
                                 *recorder.recording(), session::gradient_rows_of_roots(recorder), {},
                                 [&](session::ValueId id) { return recorder.values().find(id); });
    };
    try {
        session::record_source(recorder, [&] { python::run_source(options.model, options.permissions, run); });
    } catch (const Error&) {
        save();  // up to the failure
        throw;
    }
    save();
    if (options.stats) print_stats(*recorder.recording());
    if (!options.trace_file.empty()) write_trace(*recorder.recording(), file_of_rank(options.trace_file));
}

class LongWaits final : public distributed::WaitObserver {
  public:
    void on_waiting(const std::string&) override {}
    void on_waited() override {}
    void on_long_wait(const std::string& line) override {
        std::fflush(stdout);
        std::fprintf(stderr, "%s\n", line.c_str());
    }
};

// Ranks of one machine share its cores.
int threads_of_rank(int asked) {
    const distributed::LaunchFacts& facts = distributed::World::instance().facts();
    if (asked != 0 || facts.local_size == 1) return asked;
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()) / facts.local_size);
}

}  // namespace

void guard_this_rank() {
    distributed::LaunchFacts facts;
    try {
        facts = distributed::read_launch_facts();
    } catch (const Error&) {
        return;  // joining says it
    }
    if (facts.world_size > 1) session::guard_rank(facts.rank);
}

void join_ranks() {
    if (distributed::read_launch_facts().launcher == distributed::Launcher::None) return;
    plugins();
    distributed::World::instance().join();
}

void leave_ranks(const std::string& error) { distributed::World::instance().leave(error); }

bool runs_as_program(const RunArguments& options) {
    if (fs::path(options.model).extension() != ".py") return false;
    if (options.as_program || distributed::read_launch_facts().world_size > 1) return true;
    std::error_code failure;
    return fs::is_regular_file(options.model, failure) &&
           read_text_file(options.model).find("init_process_group(") != std::string::npos;
}

int run_program(const RunArguments& options) {
    plugins();
    join_ranks();
    set_thread_count(threads_of_rank(options.threads));
    seed_generators(options.seed);
    std::vector<std::string> written = options.written;
    for (const std::string& file : {options.outputs_file, options.trace_file, options.record_file})
        written.push_back(file_of_rank(file));
    confine_source(options.model, options.permissions, written);
    const session::WarningScope warnings(
        [&](const session::ScriptWarning& warning) { options.notice(warning.line()); });
    LongWaits waits;
    const distributed::WaitObserverScope waits_scope(&waits);
    python::SourceRun run;
    const bool is_recorded = options.stats || !options.record_file.empty() || !options.trace_file.empty();
    if (is_recorded)
        run_recorded(options, run);
    else
        python::run_source(options.model, options.permissions, run);
    std::fflush(stdout);
    leave_ranks("");
    return 0;
}

}  // namespace loupe::cli
