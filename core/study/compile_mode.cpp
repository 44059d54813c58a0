// SPDX-License-Identifier: Apache-2.0
#include "core/study/compile_mode.h"

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/model/pipelines.h"
#include "core/passes/pass_list.h"
#include "core/passes/pipeline.h"
#include "core/study/autotune.h"
#include "core/study/plan_parts.h"

namespace loupe::session {
namespace {

constexpr const char* kModes[] = {"default", "reduce-overhead", "max-autotune"};

// As a step of another pipeline.
std::string step_of(const std::string& pipeline) {
    return passes::find_pipeline(pipeline) != nullptr ? "@" + pipeline : pipeline;
}

}  // namespace

std::vector<std::string> compile_modes() { return {std::begin(kModes), std::end(kModes)}; }

CompileMode parse_compile_mode(std::string_view name) {
    for (std::size_t i = 0; i < std::size(kModes); ++i) {
        if (name == kModes[i]) return static_cast<CompileMode>(i);
    }
    throw Error(ErrorKind::Usage, concat("there is no compile mode '", name, "'"),
                {.hint = concat("it is one of ", join(compile_modes(), ", "))});
}

CompiledMethod compile_method(const CompileOptions& options, const ir::Graph& graph, const nn::ModulePtr& module,
                              const std::function<std::vector<IValue>()>& arguments) {
    CompiledMethod compiled;
    const bool is_given = !options.pipeline.empty() && options.pipeline != "none";
    const bool trains = options.backward || (module && module->is_training());
    compiled.pipeline = is_given ? options.pipeline : trains ? "train_fused" : "inference";
    if (trains && options.mode != CompileMode::Default) {
        compiled.breaks.push_back({-1,
                                   {},
                                   {},
                                   {},
                                   options.backward
                                       ? "a backward pass reads what the forward pass made: its memory is not planned"
                                       : "a module in training mode: its memory is not planned"});
    }
    if (trains || options.mode == CompileMode::Default) {
        compiled.graph = run_pipeline(compiled.pipeline, graph, module);
        return compiled;
    }
    if (options.mode == CompileMode::MaxAutotune && !is_given) {
        autotune(compiled, graph, module, arguments);
        return compiled;
    }
    compiled.graph = run_pipeline(compiled.pipeline, graph, module);
    const bool takes_self = compiled.graph->inputs().size() == graph.inputs().size();
    compiled.graph = plan_parts(compiled.graph, module, takes_self, arguments, compiled.breaks);
    compiled.pipeline = concat(step_of(compiled.pipeline), ", FuseStaticSubgraphs");
    return compiled;
}

}  // namespace loupe::session
