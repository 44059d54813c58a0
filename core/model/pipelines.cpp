// SPDX-License-Identifier: Apache-2.0
#include "core/model/pipelines.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/model/graph_builder.h"
#include "core/model/line_places.h"
#include "core/passes/pass_manager.h"

namespace loupe::session {
namespace {

// On which line of the printed graph each node stands, by its id.
class LineIndex {
  public:
    explicit LineIndex(const ir::Graph& graph) {
        // Each input has a line of its own, the first with "graph(".
        int line = std::max<int>(1, static_cast<int>(graph.inputs().size()));
        add_block(*graph.block(), line);
        count_ = line + 1;  // "return (...)"
    }
    int count() const { return count_; }
    int find(std::uint32_t id) const {
        const auto found = lines_.find(id);
        return found == lines_.end() ? -1 : found->second;
    }
    const std::unordered_map<std::uint32_t, int>& all() const { return lines_; }

  private:
    void add_block(const ir::Block& block, int& line) {
        for (const ir::Node* node : block.nodes()) {
            lines_[node->id()] = line++;
            for (std::size_t b = 0; b < node->block_count(); ++b) {
                ++line;  // "block0(...):"
                add_block(*node->block_at(b), line);
                ++line;  // "-> (...)"
            }
        }
    }

    std::unordered_map<std::uint32_t, int> lines_;
    int count_ = 0;
};

void add_origins(const ir::Block& block, const LineIndex& before, const LineIndex& after,
                 std::vector<std::vector<int>>& out) {
    for (const ir::Node* node : block.nodes()) {
        auto& lines = out[static_cast<std::size_t>(after.find(node->id()))];
        if (const int same = before.find(node->id()); same >= 0) {
            lines.push_back(same);
        } else {
            for (const std::uint32_t origin : node->provenance().nodes) {
                if (const int line = before.find(origin); line >= 0) lines.push_back(line);
            }
        }
        for (std::size_t b = 0; b < node->block_count(); ++b) add_origins(*node->block_at(b), before, after, out);
    }
}

bool freezes(const std::vector<passes::Step>& steps) {
    return std::any_of(steps.begin(), steps.end(), [](const passes::Step& step) {
        if (step.kind == passes::Step::Kind::Pipeline) return freezes(passes::find_pipeline(step.name)->steps);
        return step.name == "FreezeAttributes" || freezes(step.steps);
    });
}

}  // namespace

bool freezes(const passes::Pipeline& pipeline) { return freezes(pipeline.steps); }

// What layers do in training, batch normalisation's statistics above all, does not stand still.
void check_can_freeze(const passes::Pipeline& pipeline, const nn::ModulePtr& module) {
    if (!module || !module->is_training() || !freezes(pipeline)) return;
    throw Error(ErrorKind::Usage,
                "Freezing is currently only implemented for modules in eval mode. Please call .eval() on your module "
                "before freezing",
                {.hint = "set the mode to eval"});
}

std::vector<std::vector<int>> line_origins(const ir::Graph& before, const ir::Graph& after) {
    const LineIndex lines_before(before);
    const LineIndex lines_after(after);
    std::vector<std::vector<int>> out(static_cast<std::size_t>(lines_after.count()));
    add_origins(*after.block(), lines_before, lines_after, out);
    return out;
}

std::shared_ptr<const GraphModel> snapshot_model(const std::shared_ptr<const passes::Snapshot>& snapshot,
                                                 const ir::Graph& initial, const nn::ModulePtr& module,
                                                 const std::string& method) {
    if (!snapshot) return nullptr;
    if (snapshot->graph) {
        const bool takes_module = snapshot->graph->inputs().size() == initial.inputs().size();
        return build_graph_model(*snapshot->graph, takes_module ? module : nullptr, method).model;
    }
    auto text = std::make_shared<GraphModel>();
    text->method = method;
    text->text = snapshot->text;
    return text;
}

passes::PassContext pass_context(const ir::Graph& graph, const nn::ModulePtr& module,
                                 const std::vector<IValue>& arguments) {
    passes::PassContext context{module};
    if (arguments.empty()) return context;
    if (graph.inputs().size() > arguments.size()) context.input_types.push_back(nullptr);  // self
    for (const IValue& argument : arguments) {
        const bool is_tensor = argument.is_tensor() && argument.to_tensor().defined();
        context.input_types.push_back(is_tensor ? ir::refined_type(argument.to_tensor()) : nullptr);
    }
    return context;
}

Ptr<ir::Graph> run_pipeline(const std::string& pipeline, const ir::Graph& graph, const nn::ModulePtr& module,
                            const std::vector<IValue>& arguments) {
    const passes::Pipeline steps = passes::pipeline_of(pipeline);
    check_can_freeze(steps, module);
    Ptr<ir::Graph> copy = graph.copy();
    passes::PassManager manager;
    manager.keep_snapshots(false);
    manager.run(*copy, steps, pass_context(graph, module, arguments));
    return copy;
}

PassTrace trace_pipeline(const std::string& pipeline, const ir::Graph& graph, const nn::ModulePtr& module,
                         const std::string& method, const std::vector<IValue>& arguments) {
    PassTrace trace;
    trace.pipeline = pipeline;
    trace.initial = build_graph_model(graph, module, method).model;
    PlaceTable places;
    trace.initial_from_source = lines_from_source(graph, places);
    trace.initial_kernels = count_kernels(*trace.initial);
    if (pipeline.empty() || pipeline == "none") {
        trace.places = places.take();
        return trace;
    }
    try {
        check_can_freeze(passes::pipeline_of(pipeline), module);
    } catch (const Error& error) {
        trace.refused = error.what();
    }
    const Ptr<ir::Graph> copy = graph.copy();
    passes::PassManager manager;
    passes::PassTrace run;
    try {
        run = manager.run(*copy, passes::pipeline_of(pipeline), pass_context(graph, module, arguments));
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Cancelled || manager.failed_trace().records.empty()) throw;
        run = manager.failed_trace();
        trace.error = error.what();
    }
    const passes::Snapshot* before = run.before.get();
    const std::vector<std::vector<int>>* from_source = &trace.initial_from_source;
    KernelCount kernels = trace.initial_kernels;
    trace.steps.reserve(run.records.size());  // from_source points into them
    for (const passes::PassRecord& record : run.records) {
        PassStep step;
        step.pass = std::string(record.pass->name);
        step.changed = record.changed;
        step.seconds = record.seconds;
        step.nodes_before = static_cast<int>(record.nodes_before);
        step.nodes_after = static_cast<int>(record.nodes_after);
        step.error = record.error;
        if (record.changed && record.after) {
            step.graph = snapshot_model(record.after, graph, module, method);
            if (record.after->graph) {
                step.came_from = line_origins(*before->graph, *record.after->graph);
                step.from_source = lines_from_source(*record.after->graph, places, step.came_from, *from_source);
                kernels = count_kernels(*step.graph);
            }
            before = record.after.get();
        }
        step.kernels = kernels;
        trace.steps.push_back(std::move(step));
        if (!trace.steps.back().from_source.empty()) from_source = &trace.steps.back().from_source;
    }
    trace.places = places.take();
    return trace;
}

}  // namespace loupe::session
