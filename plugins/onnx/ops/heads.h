// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/tensor/tensor.h"

namespace loupe::onnx {

// x: [batch, fewer heads, length, size]. Each head as often as there are heads of queries for it.
Tensor repeated_heads(const Tensor& x, std::int64_t heads);

}  // namespace loupe::onnx
