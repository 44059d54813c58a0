// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/onnx/ops/common.h"

namespace loupe::onnx {

// Indices as int64, counted from 0 where negative ones counted from the end.
Tensor from_start(const Tensor& indices, std::int64_t size);
// Rows of x's first `depth` dimensions behind `batch_dims` that index tuples name, as one index a tuple into those
// dimensions taken together.
Tensor flat_index(const Tensor& tuples, IntSpan sizes);

}  // namespace loupe::onnx
