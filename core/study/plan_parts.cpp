// SPDX-License-Identifier: Apache-2.0
#include "core/study/plan_parts.h"

#include <algorithm>

#include "core/autograd/grad_mode.h"
#include "core/autograd/observer.h"
#include "core/base/error.h"
#include "core/model/script_output.h"
#include "core/ops/random/generator.h"
#include "core/passes/graph_breaks.h"
#include "core/passes/pass_list.h"
#include "core/runtime/interpreter/interpreter.h"
#include "core/runtime/interpreter/print.h"
#include "core/runtime/planned/static_group.h"
#include "core/runtime/trace/tracer.h"
#include "core/study/list_breaks.h"

namespace loupe::session {
namespace {

template <typename Visit>
void visit_nodes(const ir::Block& block, Visit&& visit) {
    for (ir::Node* node : block.nodes()) {
        visit(node);
        for (std::size_t b = 0; b < node->block_count(); ++b) visit_nodes(*node->block_at(b), visit);
    }
}

// Something that a run changes for the next one.
bool leaves_traces(const ir::Graph& graph) {
    bool leaves = false;
    visit_nodes(*graph.block(), [&](const ir::Node* node) {
        const bool is_harmless = node->kind() == ir::prim::RaiseException || node->kind() == ir::prim::GetAttr;
        const bool writes = node->op() != nullptr && node->op()->schema.has_write();
        leaves = leaves || (node->has_side_effects() && !is_harmless && !writes) || node->kind() == ir::prim::SetAttr;
    });
    bool reads_module = false;
    visit_nodes(*graph.block(),
                [&](const ir::Node* node) { reads_module = reads_module || node->kind() == ir::prim::GetAttr; });
    if (!reads_module || leaves) return leaves;
    const auto breaks = passes::find_graph_breaks(graph);
    return std::any_of(breaks.begin(), breaks.end(), [](const passes::GraphBreak& each) {
        return each.reason.ends_with("writes to memory from outside");
    });
}

struct Refused {
    std::uint32_t node = 0;  // its id in the graph before it was put into parts
    std::string reason;
};

std::vector<Refused> refused_in(const Ptr<ir::Graph>& planned, const nn::ModulePtr& module, bool takes_self,
                                const std::function<std::vector<IValue>()>& arguments) {
    constexpr int kRuns = 2;  // the first meets the inputs, the second writes the program down
    const GradModeScope no_grad(false);
    const ObserverScope unobserved(nullptr);
    const runtime::PrintScope no_prints([](std::string_view) {});
    const WarningScope no_warnings([](const ScriptWarning&) {});
    const auto code = runtime::Code::make(planned, "plan");
    for (int i = 0; i < kRuns; ++i) {
        std::vector<IValue> inputs = arguments();
        if (inputs.size() + (takes_self ? 1 : 0) != planned->inputs().size())
            inputs = runtime::traced_inputs(std::move(inputs));
        if (takes_self) inputs.insert(inputs.begin(), IValue(Ptr<Object>(module)));
        runtime::run_code(*code, std::move(inputs));
    }
    std::vector<Refused> found;
    for (const runtime::StaticGroupPlace& place : runtime::static_groups(*code)) {
        const ir::Node* node = place.group->refused_at();
        if (place.group->refusal().empty() || node == nullptr || node->provenance().nodes.empty()) continue;
        found.push_back({node->provenance().nodes.front(), place.group->refusal()});
    }
    return found;
}

bool mark(const ir::Graph& graph, const std::vector<Refused>& refused) {
    bool marked = false;
    visit_nodes(*graph.block(), [&](ir::Node* node) {
        for (const Refused& each : refused) {
            if (node->id() != each.node || node->has_attribute(passes::graph_break_attribute())) continue;
            node->set_s(passes::graph_break_attribute(), each.reason);
            marked = true;
        }
    });
    return marked;
}

}  // namespace

PlannedParts split_into_parts(const Ptr<ir::Graph>& graph, const nn::ModulePtr& module, bool takes_self,
                              const std::function<std::vector<IValue>()>& arguments) {
    constexpr int kMostRounds = 8;
    const Ptr<ir::Graph> plain = graph->copy();
    const bool may_run = arguments && !leaves_traces(*plain);
    const RandomState random = random_state();
    const auto put_together = [&] {
        Ptr<ir::Graph> planned = plain->copy();
        passes::kFuseStaticSubgraphs.run(*planned, {});
        return planned;
    };
    Ptr<ir::Graph> planned = put_together();
    for (int round = 0; may_run && round < kMostRounds; ++round) {
        try {
            if (!mark(*plain, refused_in(planned, module, takes_self, arguments))) break;
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::Cancelled) throw;
            break;  // the run itself will say it
        }
        planned = put_together();
    }
    set_random_state(random);
    // A reason that a run showed is no part of the graph.
    visit_nodes(*planned->block(), [](ir::Node* node) {
        if (node->has_attribute(passes::graph_break_attribute()))
            node->remove_attribute(passes::graph_break_attribute());
    });
    return {plain, planned};
}

Ptr<ir::Graph> plan_parts(const Ptr<ir::Graph>& graph, const nn::ModulePtr& module, bool takes_self,
                          const std::function<std::vector<IValue>()>& arguments, std::vector<GraphBreak>& breaks) {
    PlannedParts parts = split_into_parts(graph, module, takes_self, arguments);
    for (GraphBreak& found : list_breaks(*parts.marked)) breaks.push_back(std::move(found));
    return std::move(parts.planned);
}

}  // namespace loupe::session
