// SPDX-License-Identifier: Apache-2.0
#pragma once
// Pass pipelines as a session runs and shows them.

#include <string>
#include <vector>

#include "core/ir/graph.h"
#include "core/nn/module.h"
#include "core/session/requests.h"

namespace loupe::session {

// A copy of the graph with the passes run. arguments (without self; may be empty): what passes that want to know shapes
// take them from. Throws Error (Usage) for an unknown pipeline.
Ptr<ir::Graph> run_pipeline(const std::string& pipeline, const ir::Graph& graph, const nn::ModulePtr& module,
                            const std::vector<IValue>& arguments = {});
// The same step by step, with the graph after each pass that changed it.
PassTrace trace_pipeline(const std::string& pipeline, const ir::Graph& graph, const nn::ModulePtr& module,
                         const std::string& method, const std::vector<IValue>& arguments = {});

}  // namespace loupe::session
