// SPDX-License-Identifier: Apache-2.0
// The list of nodes that run a subgraph.
#include "core/runtime/fuse/groups.h"
#include "core/runtime/interpreter/structural.h"
#include "core/runtime/planned/static_group.h"

namespace loupe::runtime {

std::span<const GroupOperator> group_operators() {
    using ir::Symbol;
    static const GroupOperator kOperators[] = {
        {Symbol::intern("prim::TensorExprGroup"), run_fusion_group},
        {ir::prim::FusionGroup, run_fusion_group},
        {ir::prim::DifferentiableGraph, run_differentiable_graph},
        {Symbol::intern("prim::FallbackGraph"), run_fallback_graph},
        {Symbol::intern("prim::StaticSubgraph"), run_static_subgraph},
    };
    return kOperators;
}

}  // namespace loupe::runtime
