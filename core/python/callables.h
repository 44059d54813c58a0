// SPDX-License-Identifier: Apache-2.0
#pragma once
// What stands behind values that can be called.

#include <optional>

#include "core/value/ivalue.h"

namespace loupe::python {

class FunctionObject;

// The function behind a callable, bound or not; null for one in C++.
const FunctionObject* function_of(const IValue& callable);
// How many arguments a callable needs; nullopt when that is not known.
std::optional<std::size_t> required_arguments(const IValue& callable);

}  // namespace loupe::python
