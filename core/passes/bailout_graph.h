// SPDX-License-Identifier: Apache-2.0
#pragma once
// The rest of a graph from one of its nodes on: prim::BailOut runs it for a value of another type than the graph is
// specialised for.

#include <vector>

#include "core/ir/graph.h"

namespace loupe::passes {

const ir::Symbol& bailout_kind();           // inputs: the template, the checked value, other values that the rest reads
const ir::Symbol& bailout_template_kind();  // prim::BailoutTemplate: its Subgraph is the unspecialised graph
const ir::Symbol& bailout_index();          // attribute: which of the template's BailOuts
ir::Value* checked_value(const ir::Node* bailout);

// Values, in the order of their first use, that the nodes from `node` to the graph's end read and do not make: after
// the node's block the blocks around it, and a loop's further rounds.
std::vector<ir::Value*> live_after(const ir::Node* node);

// As PyTorch's BuildBailOutGraphFrom. Inputs: the checked value and those that the BailOut of that index lists after
// it; outputs: the template's. Without shapes. Throws Error (Internal) when there is no such index.
Ptr<ir::Graph> bailout_graph(const ir::Graph& from_template, std::int64_t index);

}  // namespace loupe::passes
