// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the operators on compressed sparse tensors share. All that compute call operators on the values, which record.

#include "core/tensor/compressed.h"

namespace loupe {

// For each element of values, blocks and batches taken apart: its place in [batch, rows, columns] as one number.
Tensor element_places(const Tensor& t);
// The values as [elements, dense...].
Tensor element_values(const Tensor& t);

Tensor compressed_to_dense(const Tensor& t);
// Coalesced; entries that are zero stay.
Tensor compressed_to_coordinate(const Tensor& t);
// The same elements in another layout, of a strided, coordinate or compressed tensor. block: rows and columns of a
// block, where the layout has them. Throws Error (Run) with PyTorch's messages.
Tensor to_compressed(const Tensor& t, CompressedLayout layout, const Dims& block, std::int64_t dense_dim);

// a b, of which one is compressed and both are matrices: dense.
Tensor compressed_product(const Tensor& a, const Tensor& b);

}  // namespace loupe
