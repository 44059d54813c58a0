// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the sweeps over all records share: the operators, their samples in each dtype, and the comparison of results.

#include <functional>
#include <string>
#include <vector>

#include "core/dispatch/registry.h"
#include "tests/ops/layouts.h"

namespace loupe::sweep {

// Rows of a Qt test: the operators that have samples and give the same each time.
void list_operators();
// Empty when the sample passes.
using Check = std::function<std::string(const Operator& op, const Sample& sample, ScalarType dtype, Random& random)>;
// Checks each sample of the row's operator in each dtype. An error with which PyTorch refuses a dtype passes.
void each_sample(const Check& check);

std::vector<IValue> call(const Operator& op, const std::vector<IValue>& arguments);

// Empty when they agree in metadata and, up to the error, in every element.
std::string difference(const Tensor& actual, const Tensor& expected, double relative, double absolute);
std::string difference(const Tensor& actual, const Tensor& expected, double relative);
// What the layout may change.
double precision(ScalarType dtype);
IValue number_of(ScalarType dtype);

}  // namespace loupe::sweep
