// SPDX-License-Identifier: Apache-2.0
#pragma once
// Pass pipelines as a session runs and shows them.

#include <memory>
#include <string>
#include <vector>

#include "core/ir/graph.h"
#include "core/model/pass_trace.h"
#include "core/nn/module.h"
#include "core/passes/pass_manager.h"

namespace loupe::session {

// What passes may know of the graph. arguments: see run_pipeline.
passes::PassContext pass_context(const ir::Graph& graph, const nn::ModulePtr& module,
                                 const std::vector<IValue>& arguments);
// Does it make attributes constants?
bool freezes(const passes::Pipeline& pipeline);
// Throws Error (Usage), PyTorch's, when the pipeline freezes and the module is in training mode.
void check_can_freeze(const passes::Pipeline& pipeline, const nn::ModulePtr& module);
// For each line of the text after: the lines before that it came from.
std::vector<std::vector<int>> line_origins(const ir::Graph& before, const ir::Graph& after);
// The graph after a pass as values. Of a wrong graph nothing but the text; null when there was none.
std::shared_ptr<const GraphModel> snapshot_model(const std::shared_ptr<const passes::Snapshot>& snapshot,
                                                 const ir::Graph& initial, const nn::ModulePtr& module,
                                                 const std::string& method);

// A copy of the graph with the passes run. arguments (without self; may be empty): what passes that want to know shapes
// take them from. Throws Error (Usage) for an unknown pipeline.
Ptr<ir::Graph> run_pipeline(const std::string& pipeline, const ir::Graph& graph, const nn::ModulePtr& module,
                            const std::vector<IValue>& arguments = {});
// The same step by step, with the graph after each pass that changed it. A pass that fails or leaves a wrong graph ends
// it: the last step has its error and the text of what it left.
PassTrace trace_pipeline(const std::string& pipeline, const ir::Graph& graph, const nn::ModulePtr& module,
                         const std::string& method, const std::vector<IValue>& arguments = {});

}  // namespace loupe::session
