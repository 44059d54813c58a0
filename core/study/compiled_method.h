// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a compile mode makes of a method.

#include <string>
#include <vector>

#include "core/ir/graph.h"
#include "core/study/compilation.h"

namespace loupe::session {

struct CompiledMethod {
    std::string pipeline;  // that was run, in words that run it again
    Ptr<ir::Graph> graph;
    InForce in_force;
    KernelCount kernels_before;  // of the graph as it is
    KernelCount kernels;
    std::vector<GraphBreak> breaks;  // what the interpreter runs as before, and why
    // Of max-autotune: what was measured, fastest first; and the kernels chosen for each planned part.
    std::vector<TriedPipeline> tried;
    std::vector<TunedPart> parts;
    std::string file;  // where it is kept
    bool is_from_disk = false;
    std::string complaint;  // about a file of measurements that was not used
};

}  // namespace loupe::session
