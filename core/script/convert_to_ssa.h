// SPDX-License-Identifier: Apache-2.0
#pragma once
// From the emitter's graphs with loads and stores to SSA form.

#include "core/ir/graph.h"

namespace loupe::script {

// Loads and stores become values: outputs of If nodes and carried values of Loop nodes. Conditions of loops move to
// where they are evaluated; break, continue and return become values too.
void convert_to_ssa(ir::Graph& graph);

// Part of convert_to_ssa: lowers LoopContinuation and ReturnStmt nodes. The code after an exit runs in an If on whether
// the exit was reached.
void transform_exits(ir::Graph& graph);

// Loops that have both a trip count and a condition become while loops.
void canonicalize_modified_loops(ir::Graph& graph);

// Aliases of operators become the operator; empty list literals become lists.
void normalize_ops(ir::Graph& graph);

// Forked closures become the subgraphs of prim::fork nodes; unused closures are removed.
void lift_closures(ir::Graph& graph);

// Outputs of If and Loop nodes in the order in which they are first used, so that texts do not depend on how variables
// were merged.
void canonicalize_outputs(ir::Graph& graph);
// Gives each aten::warn a unique id, so that it warns once.
void number_warnings(ir::Graph& graph);

}  // namespace loupe::script
