// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "core/ir/graph.h"
#include "core/nn/module.h"
#include "core/study/memory_plan.h"
#include "core/value/ivalue.h"

namespace loupe::session {

struct PlannedParts {
    Ptr<ir::Graph> marked;  // as it was, with the same node ids; what a run showed to be a break is marked as one
    Ptr<ir::Graph> planned;
};
// The graph as it is and with what can be planned in planned parts, as plan_parts does it.
PlannedParts split_into_parts(const Ptr<ir::Graph>& graph, const nn::ModulePtr& module, bool takes_self,
                              const std::function<std::vector<IValue>()>& arguments);

// The graph with what can be planned in planned parts. Runs it a few times, unless runs leave traces: where that shows
// a node that no program can hold, the part is split there. breaks: all of them. takes_self: has the graph the module
// as its first input? Throws Error (Cancelled).
Ptr<ir::Graph> plan_parts(const Ptr<ir::Graph>& graph, const nn::ModulePtr& module, bool takes_self,
                          const std::function<std::vector<IValue>()>& arguments, std::vector<GraphBreak>& breaks);

}  // namespace loupe::session
