// SPDX-License-Identifier: Apache-2.0
#pragma once
// How far two tensors are apart: torch.allclose(equal_nan=True), with the numbers.

#include <string>

#include "core/tensor/tensor.h"

namespace loupe::session {

struct TensorDifference {
    bool is_equal = true;
    double max_abs = 0;  // infinity where one is NaN and the other is not
    double max_rel = 0;  // to |expected|; the absolute difference where expected is 0
    std::string why;     // another shape: both shapes; else empty
};

// Equal where |actual - expected| <= atol + rtol |expected|; NaN equals NaN. Dtypes may differ, shapes may not.
TensorDifference compare_tensors(const Tensor& actual, const Tensor& expected, double rtol, double atol);

}  // namespace loupe::session
