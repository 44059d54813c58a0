// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reading index tensors.

#include <vector>

#include "core/tensor/tensor.h"

namespace loupe::indexing {

// The elements of an int64 or int32 tensor in row-major order.
std::vector<std::int64_t> index_values(const Tensor& index);
// A contiguous tensor of the same elements, itself when it is one.
Tensor dense(const Tensor& t);
// The same, in another dtype.
Tensor dense(const Tensor& t, ScalarType dtype);

// A contiguous tensor seen as [outer, size, inner] around dimension dim.
struct Lines {
    std::int64_t outer = 1;
    std::int64_t size = 1;
    std::int64_t inner = 1;
};
Lines lines_of(IntSpan sizes, std::int64_t dim);

// Of an index expression x[i, :, mask]: the result's dimensions are `before` of the tensor's own, those that the index
// tensors broadcast to, and the rest of the tensor's own.
struct IndexedDims {
    TensorList indices;      // int64, one a dimension of the tensor; undefined: all of it. Masks became positions
    Dims shape;              // that they broadcast to
    std::size_t before = 0;  // 0 where indexed dimensions are not adjacent: then `shape` comes first
    Dims sizes;              // of the result
};
// Throws Error (Run) with PyTorch's message for indices that do not fit.
IndexedDims indexed_dims(const Tensor& self, const TensorList& given);
// Values to be put where it points. Throws Error (Run) with PyTorch's message where they do not broadcast.
Tensor expanded_values(const Tensor& values, const Dims& sizes);

}  // namespace loupe::indexing
