// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/ir/graph.h"

namespace loupe::script {

// The graph as text that is the same for graphs that do the same in the same way: constants stand where they are used,
// values are numbered as they come, and nothing that is not used is there. Changes the graph.
std::string canonical_text(ir::Graph& graph, bool with_places = true);

}  // namespace loupe::script
