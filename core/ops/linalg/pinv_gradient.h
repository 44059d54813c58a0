// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/tensor/tensor.h"

namespace loupe::linalg {

// The gradient of A from that of its pseudo-inverse; products are in the smaller dimension. Golub, Pereyra (1973).
Tensor pinv_gradient(const Tensor& grad, const Tensor& inverse, const Tensor& A);

}  // namespace loupe::linalg
