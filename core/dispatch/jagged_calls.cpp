// SPDX-License-Identifier: Apache-2.0
#include "core/dispatch/jagged_calls.h"

namespace loupe {
namespace {

JaggedRunner installed = nullptr;

}  // namespace

void set_jagged_runner(JaggedRunner runner) { installed = runner; }

bool run_on_jagged(const Operator& op, Arguments arguments, IValue* results) {
    return installed != nullptr && installed(op, arguments, results);
}

}  // namespace loupe
