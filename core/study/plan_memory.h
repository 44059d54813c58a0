// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/ir/graph.h"
#include "core/nn/module.h"
#include "core/study/memory_plan.h"
#include "core/value/ivalue.h"

namespace loupe::session {

// Runs the pipeline's graph without gradients, by the interpreter and then as programs until nothing changes any more,
// and tells how it went. arguments: without self, made anew for every run. method: "forward". Throws what passes and
// operators throw.
MemoryPlanReport plan_memory(const std::string& pipeline, const ir::Graph& graph, const nn::ModulePtr& module,
                             const std::string& method, const std::function<std::vector<IValue>()>& arguments);

}  // namespace loupe::session
