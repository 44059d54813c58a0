// SPDX-License-Identifier: Apache-2.0
#pragma once
// Nodes with a graph of their own: fusion groups, and groups whose backward pass is a graph too.

#include "core/runtime/interpreter/code.h"

namespace loupe::runtime {

// prim::TensorExprGroup, prim::FusionGroup: one loop (see fuser.h), or, where something is recorded or watched, the operators
// of the group.
void run_fusion_group(const StructuralCall& call);
// prim::DifferentiableGraph: where something is to be differentiated, one autograd node for all of it, whose backward pass
// runs the derivative graph for the inputs' shapes (see passes::differentiate). Where there is none, or with
// create_graph, the operators record themselves.
void run_differentiable_graph(const StructuralCall& call);
// prim::FallbackGraph: the operators of a group one by one, for inputs that it was not made for.
void run_fallback_graph(const StructuralCall& call);

}  // namespace loupe::runtime
