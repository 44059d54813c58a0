// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/tensor/tensor.h"

namespace loupe {

// A row-major copy of the elements (of a tensor that is no plain array SparseParts::elements) on the CPU, not seen by
// observers of allocations.
Tensor copy_elements(const Tensor& t);
// The tensor (or SparseParts::elements) itself where the host may read it, else a copy, likewise unseen, with the same
// strides.
Tensor look_at_elements(const Tensor& t);

}  // namespace loupe
