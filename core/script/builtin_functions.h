// SPDX-License-Identifier: Apache-2.0
#pragma once
// Overloads of operators that PyTorch's compiler defines in TorchScript: a number before a tensor (2 * x), properties
// of tensors.

#include <span>

#include "core/ir/symbol.h"
#include "core/script/source_function.h"

namespace loupe::script {

using BuiltinFunction = SourceFunction;

// In the order in which they are tried, after the operators of that name.
std::span<const BuiltinFunction* const> builtin_functions_named(ir::Symbol name);

}  // namespace loupe::script
