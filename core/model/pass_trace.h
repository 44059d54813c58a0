// SPDX-License-Identifier: Apache-2.0
#pragma once
// A pipeline step by step, as values.

#include <memory>
#include <string>
#include <vector>

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
    std::string error;  // the pass failed, or left a wrong graph: its text is in `graph`; the last step then
};
struct PassTrace {
    std::string pipeline;
    std::shared_ptr<const GraphModel> initial;
    std::vector<PassStep> steps;
    std::string error;
};

}  // namespace loupe::session
