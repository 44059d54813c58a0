// SPDX-License-Identifier: Apache-2.0
#pragma once
// torch.ops.<namespace>.<operator>[.<overload>]: every registered operator, those of plugins too, by its name.

#include "core/value/ivalue.h"

namespace loupe::python {

IValue ops_module();

}  // namespace loupe::python
