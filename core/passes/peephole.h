// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/graph.h"

namespace loupe::passes {

// PeepholeOptimize without the rules on sizes and types of a traced graph's example: as PyTorch prepares callees for
// inlining.
void peephole_without_shapes(ir::Graph& graph);

}  // namespace loupe::passes
