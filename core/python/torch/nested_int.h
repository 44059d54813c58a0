// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sizes of nested tensors: a number, or j1 of the ragged dimension.

#include "core/value/ivalue.h"

namespace loupe::python {

// As Python sees it: an int, or an object that is equal to the sizes of the same sequences alone.
IValue size_object(std::int64_t size);

}  // namespace loupe::python
