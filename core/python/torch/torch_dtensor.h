// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/python/language/class.h"

namespace loupe::python {

ClassPtr dtensor_class();
ClassPtr dtensor_parameter_class();  // of those that are parameters
// A part of the module _c10d: what torch.distributed.tensor and torch.distributed.fsdp are made of.
void define_dtensor(PythonModule& module);

}  // namespace loupe::python
