// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "core/ir/graph.h"
#include "core/nn/module.h"
#include "core/session/memory_plan.h"
#include "core/value/ivalue.h"

namespace loupe::session {

// The graph with what can be planned in planned parts. Runs it a few times, unless runs leave traces: where that shows a
// node that no program can hold, the part is split there. breaks: all of them. takes_self: has the graph the module as its
// first input? Throws Error (Cancelled).
Ptr<ir::Graph> plan_parts(const Ptr<ir::Graph>& graph, const nn::ModulePtr& module, bool takes_self,
                          const std::function<std::vector<IValue>()>& arguments, std::vector<GraphBreak>& breaks);

}  // namespace loupe::session
