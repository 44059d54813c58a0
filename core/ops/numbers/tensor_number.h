// SPDX-License-Identifier: Apache-2.0
#pragma once
// Numbers out of tensors.

#include "core/tensor/tensor.h"

namespace loupe::numbers {

// Tensor.item(). Throws Error (Run) when there is not exactly one element.
Scalar number_of(const Tensor& t);
// Throws Error (Run) for a complex number that is not real.
double real_part(const Scalar& s);

}  // namespace loupe::numbers
