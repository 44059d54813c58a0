// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/tensor/scalar.h"

namespace loupe {

// Throws Error (Run), "value cannot be converted to type uint8_t without overflow", for a number outside the dtype's;
// c10::overflows: unsigned integers take negative ones that wrap, floats are cut. One element alone takes any real
// number of float16 and narrower, as PyTorch's way for it does.
void require_fits(const Scalar& value, ScalarType dtype, bool is_one_element = false);

}  // namespace loupe
