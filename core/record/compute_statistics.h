// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/record/statistics.h"
#include "core/tensor/tensor.h"

namespace loupe::session {

// One pass over the elements, on the threads of kernels.
Statistics compute_statistics(const Tensor& t);

}  // namespace loupe::session
