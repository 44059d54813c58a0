// SPDX-License-Identifier: Apache-2.0
#pragma once
// Linear layers with an activation, as a product and a loop.

#include "core/ops/matrix/linear_activation.h"
#include "core/tensor/tensor.h"

namespace loupe::cuda {

// output = activation(input weight^T + bias); aux where the gradient will want it, else without elements.
void layer_in_two(const Tensor& output, const Tensor& aux, const Tensor& input, const Tensor& weight,
                  const Tensor& bias, matrix::LinearActivation activation);
// before = activation'(aux) (grad weight); sums, [columns], where they are wanted, else without elements.
void product_gradient_in_two(const Tensor& before, const Tensor& sums, const Tensor& grad, const Tensor& weight,
                             const Tensor& aux, matrix::LinearActivation activation);
// weight = grad^T input, bias = sums over the rows of grad, where they are wanted.
void weight_gradient_in_two(const Tensor& weight, const Tensor& bias, const Tensor& grad, const Tensor& input);

}  // namespace loupe::cuda
