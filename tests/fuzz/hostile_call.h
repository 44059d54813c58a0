// SPDX-License-Identifier: Apache-2.0
#pragma once
// One call of an operator with arguments that need not fit.

#include <vector>

#include "core/dispatch/registry.h"

namespace loupe::fuzz {

// Its cost is asked for too, and results that require grad are sent backward. Throws what the operator throws.
void call_and_send_backward(const Operator& op, const std::vector<IValue>& arguments);

}  // namespace loupe::fuzz
