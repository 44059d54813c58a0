// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/dispatch/registry.h"

namespace loupe {

// call_operator for arguments that the caller does not need any more: a pointwise operator may write its result where
// an argument lies that nobody else holds.
void call_operator_with_moved(const Operator& op, std::span<const IValue> arguments, IValue* results);

}  // namespace loupe
