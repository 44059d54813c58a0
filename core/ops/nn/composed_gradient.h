// SPDX-License-Identifier: Apache-2.0
#pragma once
// Gradients of a function composed of operators: derivatives of backward operators without a formula.

#include <functional>

#include "core/tensor/tensor.h"

namespace loupe {

// The gradient for each of `inputs` (undefined where an input is undefined or the function does not depend on it) of
// the sum of outputs times `cotangents`; outputs with an undefined cotangent do not count. Recorded when grad mode is
// on, so that it can be differentiated again.
TensorList composed_gradients(const std::function<TensorList(const TensorList&)>& function, const TensorList& inputs,
                              const TensorList& cotangents);

}  // namespace loupe
