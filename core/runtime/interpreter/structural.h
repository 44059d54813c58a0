// SPDX-License-Identifier: Apache-2.0
#pragma once
// prim nodes that are no operators: building and taking apart containers, types, enums, exceptions.

#include "core/runtime/interpreter/code.h"

namespace loupe::runtime {

// Null when the kind is none of them.
StructuralFunction find_structural(ir::Symbol kind);
// Throws Error (Unsupported) with what is known of the operator.
void missing_operator(const StructuralCall& call);

}  // namespace loupe::runtime
