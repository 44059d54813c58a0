// SPDX-License-Identifier: Apache-2.0
#pragma once
// Is a graph well formed, and do its nodes fit the operators they name?

#include "core/ir/graph.h"

namespace loupe::ir {

// Graph::lint, and: inputs of known operators fit a schema, as many outputs as it returns and of types that can be its
// returns, branches agree with the types of their results. Unknown operators are accepted. Throws Error (Internal) with
// the node at fault.
void verify(const Graph& graph);

}  // namespace loupe::ir
