// SPDX-License-Identifier: Apache-2.0
#pragma once
// Calls of operators, and the comparison of what they give.

#include <string>
#include <vector>

#include "core/dispatch/registry.h"

namespace loupe::sweep {

std::vector<IValue> call(const Operator& op, const std::vector<IValue>& arguments);

// Empty when they agree in metadata and, up to the error, in every element.
std::string difference(const Tensor& actual, const Tensor& expected, double relative, double absolute);
std::string difference(const Tensor& actual, const Tensor& expected, double relative);
// What the layout may change.
double precision(ScalarType dtype);
IValue number_of(ScalarType dtype);

}  // namespace loupe::sweep
