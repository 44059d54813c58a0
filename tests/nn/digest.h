// SPDX-License-Identifier: Apache-2.0
#pragma once
// A tensor in one line of a fixture: "2x3 first last sum".

#include <string>
#include <string_view>

#include "core/tensor/tensor.h"

namespace loupe::test {

// What differs, in words; empty when every number is within the tolerance.
std::string digest_difference(const Tensor& t, std::string_view expected, double tolerance);

}  // namespace loupe::test
