// SPDX-License-Identifier: Apache-2.0
#pragma once
// What kernels of linear layers with an activation share: loupe::linear_activation and its gradients.

#include <string_view>

#include "core/tensor/tensor.h"

namespace loupe::matrix {

enum class LinearActivation : std::int8_t { None, Relu, GeluTanh };
// "none", "relu", "gelu_tanh"; throws Error (Run) for others.
LinearActivation parse_linear_activation(std::string_view text);
// From row to row of what is kept for the gradient: bits of relu, elements of gelu.
std::int64_t aux_leading(LinearActivation activation, std::int64_t columns);
// [.., columns] as [rows, columns].
Tensor as_rows(const Tensor& t);

}  // namespace loupe::matrix
