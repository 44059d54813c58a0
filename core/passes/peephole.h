// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/graph.h"

namespace loupe::passes {

// PeepholeOptimize but for what follows from the sizes and types of the example that a graph was traced with: as PyTorch
// prepares what it inlines.
void peephole_without_shapes(ir::Graph& graph);

}  // namespace loupe::passes
