// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reads graphs in the text form of PyTorch and printer.h. Names and numbers of values are kept, so that printing gives
// the same text back.

#include <string_view>

#include "core/ir/graph.h"

namespace loupe::ir {

// resolve: finds classes, interfaces and enums by name; unknown names (or all, when null) become empty ones.
// Elements of tensors that the text leaves out ("<Tensor>") are unknown: such constants have no value.
// Throws Error (Compile) with line and column.
Ptr<Graph> parse_graph(std::string_view text, const TypeResolver& resolve = nullptr);

// Renumbers the graph's values in the order of its text.
void renumber_values(Graph& graph);

}  // namespace loupe::ir
