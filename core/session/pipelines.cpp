// SPDX-License-Identifier: Apache-2.0
#include "core/session/pipelines.h"

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/session/graph_builder.h"
#include "core/session/session.h"

namespace loupe::session {

Ptr<ir::Graph> run_pipeline(const std::string& pipeline, const ir::Graph&, const nn::ModulePtr&) {
    throw Error(ErrorKind::Usage, concat("unknown pipeline '", pipeline, "'"), {.hint = concat("there are ", join(list_pipelines(), ", "))});
}

PassTrace trace_pipeline(const std::string& pipeline, const ir::Graph& graph, const nn::ModulePtr& module, const std::string& method) {
    PassTrace trace;
    trace.pipeline = pipeline;
    trace.initial = build_graph_model(graph, module, method).model;
    return trace;
}

std::vector<PassInfo> list_passes() { return {}; }
std::vector<std::string> list_pipelines() { return {"none"}; }

}  // namespace loupe::session
