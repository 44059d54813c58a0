// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/dispatch/registry.h"
#include "core/tensor/sparse.h"

namespace loupe {

// Throws Error (Unsupported): the operator takes no tensors of that form.
[[noreturn]] void refuse_form(const Operator& op, TensorForm form);

}  // namespace loupe
