// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tensors in coordinate form: their entries in order, each once, and as a dense tensor.

#include <cstdint>
#include <vector>

#include "core/dispatch/record.h"
#include "core/tensor/sparse.h"

namespace loupe {

// Whole numbers as a tensor of one dimension.
Tensor index_tensor(const std::vector<std::int64_t>& values);
// The sparse dimensions' indices of each entry as one number. Throws Error (Run) for one outside of the sizes.
std::vector<std::int64_t> flat_indices(const CoordinateParts& parts, IntSpan sizes);
// The same as a tensor on the device of the values; on another than the CPU no index is copied.
Tensor flat_places(const CoordinateParts& parts, IntSpan sizes);
// dense + alpha * sparse, into `out`, which holds the dense one.
void add_into(const Tensor& out, const Tensor& sparse, const Scalar& alpha);
// Indices in order, each once, values of the same indices added; torch.Tensor.coalesce.
Tensor coalesced(const Tensor& t);
Tensor coordinate_to_dense(const Tensor& t);

}  // namespace loupe
