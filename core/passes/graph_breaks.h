// SPDX-License-Identifier: Apache-2.0
#pragma once
// Graph breaks: nodes that do not depend on input shapes only. The interpreter runs them unplanned.

#include <string>
#include <vector>

#include "core/ir/graph.h"

namespace loupe::passes {

struct GraphBreak {
    const ir::Node* node = nullptr;
    std::string reason;  // "what aten::nonzero gives depends on elements"
};

// Of a node at which the graph breaks for a reason that only a run shows: the reason.
ir::Symbol graph_break_attribute();

// In the graph's order. A node with breaks in its blocks is one itself.
std::vector<GraphBreak> find_graph_breaks(const ir::Graph& graph);

// Do numbers that the operator returns, or the shapes of its tensors, depend on elements of its arguments?
bool reads_elements(const Operator& op);
// The same as far as it is known: false for an operator whose record leaves it open.
bool results_need_elements(const Operator& op);

}  // namespace loupe::passes
