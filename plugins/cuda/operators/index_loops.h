// SPDX-License-Identifier: Apache-2.0
#pragma once
// Describes index expressions to the loops of loops/indices.h.

#include "core/tensor/tensor.h"
#include "plugins/cuda/loops/host.h"
#include "plugins/cuda/loops/indices.h"

namespace loupe::cuda {

// Indices as the loops read them: int64, on the device.
Tensor as_index(const Tensor& index, Device device);

// Sizes and strides of a tensor, those of a number as of a vector of one element.
Dims sizes_of(const Tensor& t);
Dims strides_of(const Tensor& t);  // in bytes

// Adds an index tensor of the loop's dimensions `first` and on.
void add_index(IndexLoop& loop, const Tensor& index, int first, std::int64_t limit, std::int64_t step, int dim);

// One of the tensor's dimensions is replaced by an index of its shape: gather, scatter. `other`: strides in bytes.
IndexLoop along_dim(const Tensor& indexed, std::int64_t dim, const Tensor& index, const Dims& other, Fault* fault);
// One of the tensor's dimensions is replaced by a vector of indices: index_select. `other` as above, of the result.
IndexLoop slices_of(const Tensor& indexed, std::int64_t dim, const Tensor& index, const Dims& other, Fault* fault);

// Adds up (or otherwise gathers) rows of `other` at what each picks of `indexed`.
void gather_rows(const Tensor& indexed, const IndexLoop& rows, const RowColumns& columns, const Gathered& how,
                 const Tensor& other, const Queue& queue);

}  // namespace loupe::cuda
