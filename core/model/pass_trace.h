// SPDX-License-Identifier: Apache-2.0
#pragma once
// A pipeline step by step, as values.

#include <memory>
#include <string>
#include <vector>

#include "core/base/fields.h"
#include "core/model/kernel_count.h"
#include "core/model/model_info.h"

namespace loupe::session {

// A graph after one pass of a pipeline.
struct PassStep {
    std::string pass;  // "Inline"
    bool changed = false;
    double seconds = 0;
    int nodes_before = 0;
    int nodes_after = 0;
    std::shared_ptr<const GraphModel> graph;  // null when unchanged
    // For each line of graph->text: lines of the text before it came from.
    std::vector<std::vector<int>> came_from;
    // For each line of graph->text, the graphs inside groups too: places that it came from, of PassTrace::places.
    std::vector<std::vector<int>> from_source;
    KernelCount kernels;  // after it
    std::string error;    // the pass failed, or left a wrong graph: its text is in `graph`; the last step then
};
auto fields(Like<PassStep> auto& it) {
    return std::tie(it.pass, it.changed, it.seconds, it.nodes_before, it.nodes_after, it.graph, it.came_from,
                    it.from_source, it.kernels, it.error);
}
struct PassTrace {
    std::string pipeline;
    std::shared_ptr<const GraphModel> initial;
    std::vector<std::vector<int>> initial_from_source;  // see PassStep::from_source
    KernelCount initial_kernels;
    std::vector<SourcePlace> places;  // that lines came from, each once
    std::vector<PassStep> steps;
    std::string error;
    std::string refused;  // why a run would not take the pipeline as the model is now; empty: it would

    // After all passes.
    const KernelCount& last_kernels() const { return steps.empty() ? initial_kernels : steps.back().kernels; }
};
auto fields(Like<PassTrace> auto& it) {
    return std::tie(it.pipeline, it.initial, it.initial_from_source, it.initial_kernels, it.places, it.steps, it.error,
                    it.refused);
}

}  // namespace loupe::session
