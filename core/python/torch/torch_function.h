// SPDX-License-Identifier: Apache-2.0
#pragma once
// torch.autograd.Function: forward and backward written in the source.

#include "core/python/language/class.h"

namespace loupe::python {

ClassPtr autograd_function_class();

}  // namespace loupe::python
