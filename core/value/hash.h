// SPDX-License-Identifier: Apache-2.0
#pragma once
// Python's hash() of plain values. Keys of a dict that are equal have the same one, whatever they are: 2, 2.0 and an
// object of a program whose __hash__ returns hash(2).

#include <cstddef>

#include "core/value/ivalue.h"

namespace loupe {

// Throws Error (Run) "unhashable type: ..." for lists and dicts, in tuples too.
std::size_t hash_value(const IValue& value);

}  // namespace loupe
