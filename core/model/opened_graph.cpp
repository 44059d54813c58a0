// SPDX-License-Identifier: Apache-2.0
#include "core/model/opened_graph.h"

#include <utility>

#include "core/base/error.h"
#include "core/model/pipelines.h"
#include "core/model/program.h"

namespace loupe::session {
namespace {

// In the order in which they run: opening calls keeps it.
std::vector<const GraphNode*> operators_of(const GraphModel& graph) {
    std::vector<const GraphNode*> out;
    for (const GraphNode& node : graph.nodes) {
        if (!node.is_group && !node.is_plumbing && !node.kind.starts_with("prim::Call")) out.push_back(&node);
    }
    return out;
}

}  // namespace

OpenedGraph open_graph(const Program& program, const PreparedMethod& method, std::shared_ptr<const GraphModel> ran) {
    if (ran == nullptr || ran->text.empty()) return {};
    OpenedGraph out;
    try {
        const ir::Graph& graph = method.graph();
        // Frozen ones do without.
        const bool takes_self = graph.inputs().size() == method.schema().arguments.size();
        const auto module = takes_self ? program.script_module() : nullptr;
        out.graph = build_graph_model(*run_pipeline("inline", graph, module), module, ran->method).model;
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Cancelled) throw;
        out.graph = std::move(ran);
        return out;
    }
    out.ran_as.assign(out.graph->nodes.size(), -1);
    const auto opened = operators_of(*out.graph);
    const auto own = operators_of(*ran);
    for (std::size_t i = 0; i < opened.size() && opened.size() == own.size(); ++i) {
        if (opened[i]->kind == own[i]->kind) out.ran_as[static_cast<std::size_t>(opened[i]->id)] = own[i]->id;
    }
    return out;
}

}  // namespace loupe::session
