// SPDX-License-Identifier: Apache-2.0
#pragma once
// Calls of operators on nested tensors of either layout; the rules are those of core/ops/nested.

#include "core/dispatch/registry.h"

namespace loupe {

// Runs the call; false when no rule is about the operator.
using NestedRunner = bool (*)(const Operator& op, Arguments arguments, IValue* results);
void set_nested_runner(NestedRunner runner);
bool run_on_nested(const Operator& op, Arguments arguments, IValue* results);

}  // namespace loupe
