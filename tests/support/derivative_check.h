// SPDX-License-Identifier: Apache-2.0
#pragma once
// First and second derivatives against central differences along a random direction: torch.autograd.gradcheck and
// gradgradcheck in their fast mode. In float64 and complex128; a complex gradient is PyTorch's, of the real inner
// product.

#include <functional>
#include <string>

#include "core/autograd/variable.h"
#include "core/ops/random/random.h"

namespace loupe::test {

// Fresh leaves in, results that depend on them out.
using DifferentiableFunction = std::function<TensorList(const TensorList& leaves)>;

// Is shown the tensors whose graph is about to be gone through: results, and gradients that have one.
using GraphWatcher = std::function<void(const TensorList& roots)>;

// Empty when they agree, or when no result of float64 or complex128 requires grad.
std::string check_first_derivative(const DifferentiableFunction& f, const TensorList& inputs, Random& random,
                                   const GraphWatcher& watcher = {});
std::string check_second_derivative(const DifferentiableFunction& f, const TensorList& inputs, Random& random,
                                    const GraphWatcher& watcher = {});

}  // namespace loupe::test
