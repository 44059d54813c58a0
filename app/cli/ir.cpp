// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <filesystem>

#include "app/cli/commands.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/strings.h"
#include "core/model/pipelines.h"
#include "core/session/session.h"
#include "core/study/bisect_passes.h"

namespace loupe::cli {
namespace {

class GraphSink {
  public:
    explicit GraphSink(std::string folder) : folder_(std::move(folder)) {
        if (!folder_.empty()) std::filesystem::create_directories(folder_);
    }
    void put(const std::string& name, const std::string& text) {
        if (folder_.empty()) {
            std::printf("%s", text.c_str());
            return;
        }
        const std::string number = std::to_string(count_++);
        const std::string file = concat(number.size() < 2 ? "0" : "", number, "_", name, ".txt");
        write_file_atomically(std::filesystem::path(folder_) / file, text);
    }
    bool is_folder() const { return !folder_.empty(); }

  private:
    std::string folder_;
    int count_ = 0;
};

}  // namespace

int run_ir(const IrArguments& options) {
    RunArguments opening = options.run;
    opening.written.push_back(options.output_folder);
    const auto program = open_program(opening);
    if (!program) return 0;
    trace_program(*program, options.run);
    const std::string method = options.run.method.empty() ? program->default_method() : options.run.method;
    const ir::Graph& graph = *program->method(method).graph();
    // A list of passes is a pipeline without a name.
    const std::string pipeline = options.passes.empty() ? options.run.pipeline : options.passes;
    const std::vector<IValue> arguments = given_arguments(*program, options.run, method);
    GraphSink sink(options.output_folder);
    if (!options.after_each) {
        const bool is_plain = pipeline.empty() || pipeline == "none";
        sink.put(is_plain ? method : pipeline,
                 is_plain ? graph.str()
                          : session::run_pipeline(pipeline, graph, program->script_module(), arguments)->str());
        return 0;
    }
    const session::PassTrace trace =
        session::trace_pipeline(pipeline, graph, program->script_module(), method, arguments);
    sink.put("initial", trace.initial->text);
    if (!sink.is_folder()) std::printf("\n# as read: %s\n", trace.initial_kernels.str().c_str());
    for (const session::PassStep& step : trace.steps) {
        if (!step.graph) continue;
        if (!sink.is_folder())
            std::printf("\n# after %s%s: %s\n", step.pass.c_str(), step.error.empty() ? "" : ", which left it wrong",
                        step.kernels.str().c_str());
        sink.put(step.error.empty() ? step.pass : step.pass + "_wrong", step.graph->text);
    }
    if (!trace.error.empty()) throw Error(ErrorKind::Internal, trace.error);
    return 0;
}

int run_bisect(const BisectArguments& options) {
    RunArguments opening = options.run;
    opening.written.push_back(options.output_folder);
    const auto program = open_program(opening);
    if (!program) return 0;
    trace_program(*program, options.run);
    session::PassBisectOptions wanted;
    wanted.pipeline = options.passes.empty() ? options.run.pipeline : options.passes;
    wanted.method = options.run.method.empty() ? program->default_method() : options.run.method;
    wanted.rtol = options.run.rtol;
    wanted.atol = options.run.atol;
    wanted.gradients = !options.outputs_only;
    wanted.seed = options.run.seed;
    const session::PassBisect found =
        session::bisect_passes(wanted, *program->method(wanted.method).graph(), program->script_module(),
                               [&] { return run_inputs(*program, options.run, wanted.method); });
    for (const session::PassBisectRun& run : found.runs) {
        std::printf("%-8s after %3zu pass%s", run.is_same ? "same" : "DIFFERS", run.passes,
                    run.passes == 1 ? "" : "es");
        if (!run.error.empty())
            std::printf("  %s", run.error.c_str());
        else if (!run.worst.empty())
            std::printf("  worst %s max abs %.1e max rel %.1e", run.worst.c_str(), run.max_abs, run.max_rel);
        std::printf("  %.3f s\n", run.seconds);
    }
    std::printf("%s\n", found.verdict.text().c_str());
    if (found.step < 0) return 0;
    GraphSink sink(options.output_folder);
    if (!sink.is_folder()) std::printf("\n# before %s\n", found.pass.c_str());
    sink.put("before_" + found.pass, found.before->text);
    if (!sink.is_folder()) std::printf("\n# after %s\n", found.pass.c_str());
    sink.put("after_" + found.pass, found.after->text);
    return 1;
}

int run_passes() {
    for (const auto& pass : session::list_passes()) std::printf("%-36s %s\n", pass.name.c_str(), pass.summary.c_str());
    std::printf("\npipelines: %s\n", join(session::list_pipelines(), ", ").c_str());
    return 0;
}

}  // namespace loupe::cli
