// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/tensor/tensor.h"
#include "plugins/onnx/proto/data_types.h"

namespace loupe::onnx {

// x with elements that the type has: whole numbers keep their low bits, numbers of 8 and 4 bits are rounded to the
// nearest; float8 without a gradient.
Tensor rounded_to(const Tensor& x, const DataType& type, bool saturates);

}  // namespace loupe::onnx
