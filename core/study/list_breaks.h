// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/ir/graph.h"
#include "core/study/memory_plan.h"

namespace loupe::session {

// Where a graph that has been through its passes breaks.
std::vector<GraphBreak> list_breaks(const ir::Graph& graph);

}  // namespace loupe::session
