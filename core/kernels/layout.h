// SPDX-License-Identifier: Apache-2.0
#pragma once
// Shapes and strides of elementwise results.

#include <span>

#include "core/dispatch/record.h"

namespace loupe {

// The broadcast shape of the tensors among `operands` (numbers are skipped), in the inputs' memory order: contiguous
// inputs give a contiguous result, channels-last ones a channels-last one.
// Throws Error (Run) when shapes do not broadcast.
TensorMeta elementwise_meta(std::span<const IValue> operands, ScalarType dtype);
// As self, dense.
TensorMeta same_meta(const Tensor& self, ScalarType dtype);
inline TensorMeta same_meta(const Tensor& self) { return same_meta(self, self.dtype()); }

// Row-major strides over the dimensions in the order of falling strides of the operands that have that many
// dimensions; empty when that is the contiguous order.
Dims dense_strides_like(IntSpan sizes, std::span<const TensorImpl* const> operands);

}  // namespace loupe
