// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operators that only passes create: batched matrix products, chunks with a known count, gradients that may be
// undefined.

#include "core/runtime/interpreter/code.h"

namespace loupe::runtime {

// Null when the kind is none of them.
StructuralFunction find_pass_operator(ir::Symbol kind);

// Is the value of a guard's type? Undefined tensors are of types marked so.
bool is_of_type(const IValue& value, const TensorType& type);

}  // namespace loupe::runtime
