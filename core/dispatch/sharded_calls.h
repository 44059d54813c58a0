// SPDX-License-Identifier: Apache-2.0
#pragma once
// Calls of operators on tensors of which each rank holds a part; the rules are those of core/ops/distributed.

#include "core/dispatch/registry.h"

namespace loupe {

// Runs the call; false when no rule is about the operator.
using ShardedRunner = bool (*)(const Operator& op, Arguments arguments, IValue* results);
void set_sharded_runner(ShardedRunner runner);
bool run_on_sharded(const Operator& op, Arguments arguments, IValue* results);

}  // namespace loupe
