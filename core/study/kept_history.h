// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/tensor/tensor.h"

namespace loupe::session {

// A handle of its own to where gradients of a tensor go now: the tensor gets another history when it is written in
// place. Of a leaf the tensor itself. It must require a gradient.
Tensor kept_history(const Tensor& t);

}  // namespace loupe::session
