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

}  // namespace loupe::indexing
