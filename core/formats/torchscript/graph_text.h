// SPDX-License-Identifier: Apache-2.0
#pragma once
// Graphs as text, as PyTorch and the printer write them: a model whose forward is the graph.

#include "core/formats/model_file.h"

namespace loupe {

// Does it begin with "graph("?
bool is_graph_text(const Ptr<MappedFile>& file);
// A graph without attributes of a module. Throws Error (Compile) with line and column when it is no graph, File when it
// is invalid, Unsupported for parts that text omits: elements of large tensors, attributes of modules, other functions.
ModelFile read_graph_text(const Ptr<MappedFile>& file);

}  // namespace loupe
