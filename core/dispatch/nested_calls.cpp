// SPDX-License-Identifier: Apache-2.0
#include "core/dispatch/nested_calls.h"

namespace loupe {
namespace {

NestedRunner installed = nullptr;

}  // namespace

void set_nested_runner(NestedRunner runner) { installed = runner; }

bool run_on_nested(const Operator& op, Arguments arguments, IValue* results) {
    return installed != nullptr && installed(op, arguments, results);
}

}  // namespace loupe
