// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/distributed/work.h"
#include "core/python/language/object.h"

namespace loupe::python {

// The module _c10d: what torch.distributed, written in Python, is made of.
void fill_c10d(PythonModule& module);
void define_reducer(PythonModule& module);  // a part of it: DistributedDataParallel's
IValue work_object(const Ptr<distributed::Work>& work);

}  // namespace loupe::python
