// SPDX-License-Identifier: Apache-2.0
#include "core/study/list_breaks.h"

#include "core/passes/graph_breaks.h"

namespace loupe::session {
namespace {

GraphBreak shown(const passes::GraphBreak& found) {
    GraphBreak out{-1, found.node->kind().str(), found.node->scope(), {}, found.reason};
    if (const auto place = found.node->range().original().position()) {
        out.source = {place->file, static_cast<int>(place->line), static_cast<int>(place->column)};
    }
    return out;
}

}  // namespace

std::vector<GraphBreak> list_breaks(const ir::Graph& graph) {
    std::vector<GraphBreak> all;
    for (const passes::GraphBreak& found : passes::find_graph_breaks(graph)) all.push_back(shown(found));
    return all;
}

}  // namespace loupe::session
