// SPDX-License-Identifier: Apache-2.0
#pragma once
// How close a result must be: torch.testing.assert_close's tolerances, and the operators that get more.

#include <string_view>

#include "core/tensor/scalar_type.h"

namespace loupe::conformance {

struct Tolerance {
    double rtol = 0;
    double atol = 0;
};

// PyTorch's own, by dtype; integers and bool exactly.
Tolerance tolerance_of(ScalarType dtype);

// Are an operator's rounding errors a multiple of its greatest elements, not of each? Then so is the tolerance.
bool errors_follow_greatest(std::string_view op);

// How much wider for an operator: 1, or 10 for long sums and special functions.
double widening(std::string_view op);

}  // namespace loupe::conformance
