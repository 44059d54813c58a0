// SPDX-License-Identifier: Apache-2.0
#pragma once
// Nodes with a subgraph: fusion groups, and groups whose backward pass is a graph too.

#include "core/runtime/interpreter/code.h"

namespace loupe::runtime {

// prim::TensorExprGroup, prim::FusionGroup: one loop (see fuser.h), or, when recorded for autograd or observed, the
// group's operators.
void run_fusion_group(const StructuralCall& call);
// prim::DifferentiableGraph: when differentiated, one autograd node for the group, whose backward pass runs the
// derivative graph for the inputs' shapes (see passes::differentiate). Where there is none, or with create_graph, the
// operators record themselves.
void run_differentiable_graph(const StructuralCall& call);
// prim::FallbackGraph: the operators of a group one by one, for inputs of other types than its own.
void run_fallback_graph(const StructuralCall& call);

}  // namespace loupe::runtime
