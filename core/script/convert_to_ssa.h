// SPDX-License-Identifier: Apache-2.0
#pragma once
// From what the emitter writes to the form that graphs have everywhere else.

#include "core/ir/graph.h"

namespace loupe::script {

// Loads and stores become values: outputs of If nodes and carried values of Loop nodes. Conditions of loops move to
// where they are asked; break, continue and return become values too.
void convert_to_ssa(ir::Graph& graph);

// Part of convert_to_ssa: lowers LoopContinuation and ReturnStmt nodes. What follows one that may be reached runs in an
// If that asks whether it was.
void transform_exits(ir::Graph& graph);

// Loops that have both a trip count and a condition become while loops.
void canonicalize_modified_loops(ir::Graph& graph);

// Operators that are other names of one become that one; empty list literals become lists.
void normalize_ops(ir::Graph& graph);

// Closures that are forked become the subgraphs of prim::fork nodes; closures that are not used go.
void lift_closures(ir::Graph& graph);

// Outputs of If and Loop nodes in the order in which they are first used, so that texts do not depend on how variables
// were merged.
void canonicalize_outputs(ir::Graph& graph);
// Gives each aten::warn a number of its own, by which it is known to have warned already.
void number_warnings(ir::Graph& graph);

}  // namespace loupe::script
