// SPDX-License-Identifier: Apache-2.0
#pragma once
// Gradients of a function composed of operators: derivatives of backward operators without a formula.

#include <functional>
#include <initializer_list>

#include "core/dispatch/gradient_context.h"

namespace loupe {

// The gradient for each of `inputs` (undefined where an input is undefined or the function does not depend on it) of
// the sum of outputs times `cotangents`; outputs with an undefined cotangent do not count. Recorded when grad mode is
// on, so that it can be differentiated again.
TensorList composed_gradients(const std::function<TensorList(const TensorList&)>& function, const TensorList& inputs,
                              const TensorList& cotangents);
// The same as a derivative: of the function of these saved arguments, set where it is wanted.
void set_composed_gradients(GradientContext& context, const std::function<TensorList(const TensorList&)>& function,
                            std::initializer_list<ArgumentPlace> arguments, const TensorList& cotangents);

}  // namespace loupe
