// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/onnx/ops/common.h"
#include "plugins/onnx/proto/data_types.h"

namespace loupe::onnx {

// A scale or a zero point for each slice along an axis, or for each block, in the shape of x.
Tensor along_axis(const Tensor& parameter, const Tensor& x, std::int64_t axis, std::int64_t block_size);
// (x - zero point) * scale.
Tensor dequantized(const Tensor& x, const Tensor& scale, const Tensor& zero_point, std::int64_t axis,
                   std::int64_t block_size);
// x / scale, rounded to even, + zero point, within the type's range.
Tensor quantized(const Tensor& x, const Tensor& scale, const Tensor& zero_point, std::int64_t axis,
                 std::int64_t block_size, const DataType& type, bool saturates);
// Of a tensor of whole numbers; one that is held in a wider type counts as that one.
const DataType& type_of_values(const Tensor& values);

}  // namespace loupe::onnx
