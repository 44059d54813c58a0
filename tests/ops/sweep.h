// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the sweeps over all records share: the operators, and their samples in each dtype.

#include <functional>
#include <string>
#include <vector>

#include "core/dispatch/registry.h"
#include "tests/ops/comparison.h"
#include "tests/ops/layouts.h"

namespace loupe::sweep {

// Rows of a Qt test: the operators that have samples and give the same each time.
void list_operators();
// Empty when the sample passes.
using Check = std::function<std::string(const Operator& op, const Sample& sample, ScalarType dtype, Random& random)>;
// Checks each sample of the row's operator in each dtype. An error with which PyTorch refuses a dtype passes.
void each_sample(const Check& check);

}  // namespace loupe::sweep
