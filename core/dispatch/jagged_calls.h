// SPDX-License-Identifier: Apache-2.0
#pragma once
// Calls of operators on jagged tensors; the rules are those of core/ops/nested.

#include "core/dispatch/registry.h"

namespace loupe {

// Runs the call; false when no rule is about the operator.
using JaggedRunner = bool (*)(const Operator& op, Arguments arguments, IValue* results);
void set_jagged_runner(JaggedRunner runner);
bool run_on_jagged(const Operator& op, Arguments arguments, IValue* results);

}  // namespace loupe
