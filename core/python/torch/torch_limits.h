// SPDX-License-Identifier: Apache-2.0
#pragma once
// torch.finfo and torch.iinfo.

#include "core/value/callable.h"

namespace loupe::python {

IValue make_finfo(CallArguments arguments);
IValue make_iinfo(CallArguments arguments);

}  // namespace loupe::python
