// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/ir/graph.h"
#include "core/nn/module.h"
#include "core/study/pass_check.h"
#include "core/value/ivalue.h"

namespace loupe::session {

// arguments: made anew for every run, since a graph may write to them. Runs without gradients. Throws Error (Usage) in
// training mode, and what running the first graph throws.
PassChecks check_passes(const std::string& pipeline, const ir::Graph& graph, const nn::ModulePtr& module,
                        const std::function<std::vector<IValue>()>& arguments);

}  // namespace loupe::session
