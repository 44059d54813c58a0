// SPDX-License-Identifier: Apache-2.0
#pragma once
// Calls of operators that the engine lacks: they stay in the graph, typed as far as known, and fail when a run reaches
// them.

#include <string>

#include "core/ir/graph.h"

namespace loupe::ir {

// A call by an operator's name for which there is no operator. Nodes of "prim" are never one.
bool is_missing_operator(const Node& node);
// Its schema, as far as the call shows: "aten::foo(Tensor self, int[] size) -> Tensor".
std::string missing_schema(const Node& node);

}  // namespace loupe::ir
