// SPDX-License-Identifier: Apache-2.0
#pragma once
// What tensors and devices do in a program.

#include "core/python/language/foreign_type.h"

namespace loupe::python {

const ForeignType& tensor_type();
const ForeignType& device_type();

}  // namespace loupe::python
