// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/dispatch/registry.h"

namespace loupe {

// call_operator for arguments that the caller donates, since it reads them no more: a pointwise operator may write its
// result where an argument lies that has no other owner.
void call_operator_donating(const Operator& op, std::span<const IValue> arguments, IValue* results);

}  // namespace loupe
