// SPDX-License-Identifier: Apache-2.0
#include "core/study/compile_mode.h"

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/model/graph_builder.h"
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

std::string why_not_planned(CompileMode mode, bool backward, bool training) {
    if (backward) return "a backward pass reads what the forward pass made";
    if (training) return "the module is in training mode";
    return mode == CompileMode::Default ? "the mode default does not, reduce-overhead does" : "";
}

namespace {

void count_nodes(const ir::Block& block, InForce& out) {
    for (const ir::Node* node : block.nodes()) {
        const std::string kind = node->kind().str();
        if (kind == "prim::TensorExprGroup" || kind == "prim::FusionGroup")
            ++out.fusion_groups;
        else if (node->has_attribute(ir::attr::Subgraph))
            count_nodes(*node->g(ir::attr::Subgraph)->block(), out);
        if (kind == "prim::StaticSubgraph") ++out.planned_parts;
        for (std::size_t b = 0; b < node->block_count(); ++b) count_nodes(*node->block_at(b), out);
    }
}

CompiledMethod compile_as(const CompileOptions& options, const ir::Graph& graph, const nn::ModulePtr& module,
                          const std::function<std::vector<IValue>()>& arguments) {
    CompiledMethod compiled;
    const bool is_given = !options.pipeline.empty() && options.pipeline != "none";
    const bool trains = options.backward || (module && module->is_training());
    compiled.pipeline = is_given ? options.pipeline : trains ? "train_fused" : "inference";
    if (trains && options.mode != CompileMode::Default) {
        compiled.breaks.push_back(
            {-1,
             {},
             {},
             {},
             concat(why_not_planned(options.mode, options.backward, trains), ": memory is not planned")});
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

std::string counted(int count, const char* one, const char* many) {
    return concat(count, " ", count == 1 ? one : many);
}

}  // namespace

CompiledMethod compile_method(const CompileOptions& options, const ir::Graph& graph, const nn::ModulePtr& module,
                              const std::function<std::vector<IValue>()>& arguments) {
    CompiledMethod compiled = compile_as(options, graph, module, arguments);
    InForce& in_force = compiled.in_force;
    count_nodes(*compiled.graph->block(), in_force);
    compiled.kernels_before = count_kernels(*build_graph_model(graph, module, options.method).model);
    const bool takes_module = compiled.graph->inputs().size() == graph.inputs().size();
    compiled.kernels =
        count_kernels(*build_graph_model(*compiled.graph, takes_module ? module : nullptr, options.method).model);
    in_force.graph_breaks = static_cast<int>(compiled.breaks.size());
    // A pipeline may plan where the mode alone would not.
    if (in_force.planned_parts == 0)
        in_force.not_planned = why_not_planned(options.mode, options.backward, module && module->is_training());
    return compiled;
}

std::string InForce::line() const {
    const std::string fused =
        fusion_groups == 0 ? "no fusion groups" : counted(fusion_groups, "fusion group", "fusion groups");
    if (!not_planned.empty()) return concat(fused, "; memory is not planned: ", not_planned);
    const std::string breaks =
        graph_breaks == 0 ? "no graph breaks" : counted(graph_breaks, "graph break", "graph breaks");
    if (planned_parts == 0) return concat(fused, "; no part has its memory planned, ", breaks);
    return concat(fused, "; the memory of ", counted(planned_parts, "part is", "parts is"), " planned, ", breaks);
}

}  // namespace loupe::session
