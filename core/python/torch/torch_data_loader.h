// SPDX-License-Identifier: Apache-2.0
#pragma once
// What torch.utils.data, which is written in Python, has from core/data: orders, batches, the loader's machinery.

#include "core/python/language/object.h"

namespace loupe::python {

void fill_torch_data(PythonModule& module);

}  // namespace loupe::python
