// SPDX-License-Identifier: Apache-2.0
#pragma once
// What is left to run of a graph from one of its nodes on: prim::BailOut goes there for a value of another type than the
// graph around it was made for.

#include <vector>

#include "core/ir/graph.h"

namespace loupe::passes {

const ir::Symbol& bailout_kind();           // prim::BailOut: inputs are the template, the checked value, what the rest reads
const ir::Symbol& bailout_template_kind();  // prim::BailoutTemplate: its Subgraph is the graph as it was
const ir::Symbol& bailout_index();          // attribute: which of the template's BailOuts
ir::Value* checked_value(const ir::Node* bailout);

// Values, in the order of their first use, that the nodes from `node` to the graph's end read and do not make: after the
// node's block the blocks around it, and a loop's further rounds.
std::vector<ir::Value*> live_after(const ir::Node* node);

// As PyTorch's BuildBailOutGraphFrom. Inputs: the checked value and what the BailOut of that index lists after it; outputs:
// the template's. Nothing is known of shapes in it. Throws Error (Internal) when there is no such index.
Ptr<ir::Graph> bailout_graph(const ir::Graph& from_template, std::int64_t index);

}  // namespace loupe::passes
