// SPDX-License-Identifier: Apache-2.0
#pragma once
// Shared by the passes around prim::profile and its guards.

#include "core/ir/graph.h"

namespace loupe::passes {

inline const ir::Symbol& profiled_type_attribute() {
    static const ir::Symbol kName = ir::Symbol::intern("profiled_type");
    return kName;
}

// Dtype, device, every size and stride.
bool is_complete(const TensorType& type);
// One element of the result from one element of each input; broadcasts and casts with them.
bool is_pointwise(const ir::Node* node);
// Any kind of prim::Autograd.
bool is_autograd_kind(ir::Symbol kind);

}  // namespace loupe::passes
