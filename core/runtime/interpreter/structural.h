// SPDX-License-Identifier: Apache-2.0
#pragma once
// prim nodes that are no operators: building and unpacking containers, types, enums, exceptions.

#include <span>

#include "core/runtime/interpreter/code.h"

namespace loupe::runtime {

// Null when the kind is none of them.
StructuralFunction find_structural(ir::Symbol kind);
// A node with a subgraph, whose operators are observed one by one.
struct GroupOperator {
    ir::Symbol kind;
    StructuralFunction run = nullptr;
};
// All of them; core/runtime/group_operators.cpp is the list.
std::span<const GroupOperator> group_operators();
// Throws Error (Unsupported) with the operator's known signature.
void missing_operator(const StructuralCall& call);

}  // namespace loupe::runtime
