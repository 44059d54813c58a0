// SPDX-License-Identifier: Apache-2.0
#pragma once
// What values that compiled code has too do in a program: modules (of the program, of torch.nn, compiled), objects of
// compiled classes, enums, futures.

#include "core/python/language/foreign_type.h"

namespace loupe::python {

// Of values with Tag::Object.
const ForeignType& object_type();
// Of enums and futures of compiled code.
const ForeignType& compiled_value_type();

}  // namespace loupe::python
