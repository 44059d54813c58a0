// SPDX-License-Identifier: Apache-2.0
#include "core/dispatch/sharded_calls.h"

namespace loupe {
namespace {

ShardedRunner installed = nullptr;

}  // namespace

void set_sharded_runner(ShardedRunner runner) { installed = runner; }

bool run_on_sharded(const Operator& op, Arguments arguments, IValue* results) {
    return installed != nullptr && installed(op, arguments, results);
}

}  // namespace loupe
