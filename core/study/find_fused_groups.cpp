// SPDX-License-Identifier: Apache-2.0
#include "core/study/find_fused_groups.h"

#include <algorithm>

#include "core/autograd/engine.h"
#include "core/autograd/grad_mode.h"
#include "core/autograd/variable.h"
#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/model/inputs.h"
#include "core/model/line_places.h"
#include "core/model/shown_source.h"
#include "core/ops/random/generator.h"
#include "core/passes/pipeline.h"
#include "core/record/backward_roots.h"
#include "core/runtime/fuse/fuser.h"
#include "core/runtime/fuse/fuser_backends.h"

namespace loupe::session {
namespace {

// Buffers and random numbers as they were, at the end of a scope.
class KeptState {
  public:
    explicit KeptState(const nn::Module& module) : random_(random_state()) {
        const GradModeScope no_grad(false);
        for (const auto& [name, buffer] : module.named_buffers()) buffers_.emplace_back(buffer, fn::clone(buffer));
    }
    KeptState(const KeptState&) = delete;
    KeptState& operator=(const KeptState&) = delete;
    ~KeptState() {
        const GradModeScope no_grad(false);
        for (const auto& [buffer, before] : buffers_) fn::copy_(buffer, before);
        set_random_state(random_);
    }

  private:
    std::vector<std::pair<Tensor, Tensor>> buffers_;
    RandomState random_;
};

std::string text_of(const IValue& value) {
    if (value.is_tensor() && value.to_tensor().defined()) {
        const Tensor t = value.to_tensor();
        return concat(dtype_name(t.dtype()), " ", shape_list_text(t.sizes()));
    }
    return value.is_tensor() ? "none" : python_repr(value);
}

class Finder final : public runtime::FusionWatcher {
  public:
    struct Met {
        const ir::Node* node = nullptr;
        Ptr<const ir::Graph> graph;
        std::vector<IValue> inputs;
        FusedGroupView view;
    };

    explicit Finder(const SiteMap& sites) : sites_(sites) {}

    void on_group(const ir::Node& node, const Ptr<const ir::Graph>& graph, std::span<const IValue> inputs) override {
        std::vector<std::string> texts;
        for (const IValue& input : inputs) texts.push_back(text_of(input));
        for (Met& met : met_) {
            if (met.node != &node || met.view.inputs != texts) continue;
            ++met.view.runs;
            return;
        }
        Met met{&node, graph, {inputs.begin(), inputs.end()}, describe(node, *graph)};
        met.view.inputs = std::move(texts);
        met_.push_back(std::move(met));
    }

    void enter_backward() { is_backward_ = true; }
    std::vector<Met>& met() { return met_; }

  private:
    FusedGroupView describe(const ir::Node& node, const ir::Graph& graph) const {
        FusedGroupView view;
        view.is_backward = is_backward_;
        view.graph_node = sites_.find(SiteMap::kTop, &node);
        view.name = concat("TensorExprGroup ", met_.size());
        view.scope = node.scope();
        view.graph = graph.str();
        view.places = line_places(graph);
        view.runs = 1;
        for (const ir::Node* member : graph.block()->nodes()) {
            if (member->kind() == ir::prim::Constant) continue;
            view.operators.push_back(member->kind().str());
            if (view.scope.empty()) view.scope = member->scope();
            add_source(view, *member);
        }
        return view;
    }

    static void add_source(FusedGroupView& view, const ir::Node& node) {
        const SourcePlace place = place_of(shown_range(node.range()));
        const auto same = [&](const SourcePlace& other) {
            return other.file == place.file && other.line == place.line;
        };
        if (place.line > 0 && std::none_of(view.sources.begin(), view.sources.end(), same))
            view.sources.push_back(place);
    }

    const SiteMap& sites_;
    std::vector<Met> met_;
    bool is_backward_ = false;
};

// Gradients of what requires them, dropped at once.
void run_both(const PreparedMethod& method, const nn::Module& module, std::vector<IValue> arguments,
              const FusedGroupsRequest& request, Finder& finder) {
    const GradModeScope grad(request.backward);
    const runtime::FusionWatcherScope watched(&finder);
    const IValue result = method.forward(std::move(arguments));
    if (!request.backward) return;
    const BackwardRoots roots = BackwardSource(request.backward_from, method).roots(method, result);
    TensorList leaves;
    for (const auto& [name, parameter] : module.named_parameters()) {
        if (requires_grad(parameter)) leaves.push_back(parameter);
    }
    finder.enter_backward();
    if (!roots.tensors.empty() && !leaves.empty())
        gradients_of(roots.tensors, leaves, roots.make_gradients(), {}, true);
}

// Lines of the group's graph that the lines of a kernel's expression stand for.
std::vector<std::vector<int>> lines_of(const runtime::FusedKernelText& kernel,
                                       const std::vector<const ir::Node*>& lines) {
    std::vector<std::vector<int>> out;
    for (const std::vector<const ir::Node*>& nodes : kernel.made_by) {
        out.emplace_back();
        for (const ir::Node* node : nodes) {
            const auto found = std::find(lines.begin(), lines.end(), node);
            if (found != lines.end()) out.back().push_back(static_cast<int>(found - lines.begin()));
        }
    }
    return out;
}

void look_into(Finder::Met& met, const FusedGroupsRequest& request) {
    try {
        const runtime::FusedGroupMeasure measure =
            runtime::measure_fused_group(met.graph, met.inputs, request.backend, request.measure);
        const std::vector<const ir::Node*> lines = line_nodes(*met.graph);
        for (const runtime::FusedKernelText& text : measure.kernels) {
            met.view.kernels.push_back({text.backend, text.expression, text.program, text.ir, text.assembly,
                                        text.compile_seconds, text.from_disk, text.language, text.resources,
                                        lines_of(text, lines), text.ir_of, text.assembly_of});
        }
        for (const IValue& output : measure.outputs) met.view.outputs.push_back(text_of(output));
        met.view.reason = measure.reason;
        met.view.fused_seconds = measure.fused_seconds;
        met.view.unfused_seconds = measure.unfused_seconds;
        met.view.new_sizes_seconds = measure.new_sizes_seconds;
        met.view.bytes = measure.bytes;
        met.view.loops = measure.loops;
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Cancelled) throw;
        met.view.error = error.what();
    }
}

// The modules are in this mode while it lives.
class ModeScope {
  public:
    ModeScope(nn::Module& module, std::optional<bool> training) {
        if (!training) return;
        for (const auto& [name, each] : module.named_modules()) modes_.emplace_back(each, each->is_training());
        module.train(*training);
    }
    ModeScope(const ModeScope&) = delete;
    ModeScope& operator=(const ModeScope&) = delete;
    ~ModeScope() {
        // The root comes first: what is set below it stays.
        for (const auto& [module, was_training] : modes_) module->train(was_training);
    }

  private:
    std::vector<std::pair<nn::ModulePtr, bool>> modes_;
};

// Names of other pipelines that fuse something of it.
std::vector<std::string> pipelines_that_fuse(const std::shared_ptr<Program>& program, const FusedGroupsRequest& request,
                                             const std::vector<IValue>& arguments) {
    std::vector<std::string> names;
    for (const passes::Pipeline& pipeline : passes::named_pipelines()) {
        if (pipeline.name == request.pipeline) continue;
        try {
            const PreparedMethod method(program, request.method, pipeline.name);
            const BuiltGraph built = method.build_graph();
            Finder finder(built.sites);
            run_both(method, program->module(), arguments, request, finder);
            if (!finder.met().empty()) names.push_back(pipeline.name);
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::Cancelled) throw;
        }
    }
    return names;
}

}  // namespace

FusedGroups find_fused_groups(const std::shared_ptr<Program>& program, const FusedGroupsRequest& request,
                              std::vector<IValue> arguments) {
    const ModeScope mode(program->module(), request.training);
    const PreparedMethod method(program, request.method, request.pipeline);
    const BuiltGraph built = method.build_graph();
    const KeptState kept(program->module());
    Finder finder(built.sites);
    FusedGroups groups;
    try {
        run_both(method, program->module(), arguments, request, finder);
        if (finder.met().empty()) groups.others = pipelines_that_fuse(program, request, arguments);
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Cancelled) throw;
        groups.error = error.what();
    }
    for (Finder::Met& met : finder.met()) {
        check_cancelled();
        look_into(met, request);
        groups.groups.push_back(std::move(met.view));
    }
    return groups;
}

std::vector<std::string> list_fusers() {
    std::vector<std::string> names;
    for (const runtime::FuserBackend& backend : runtime::fusers()) names.push_back(backend.name);
    return names;
}

}  // namespace loupe::session
