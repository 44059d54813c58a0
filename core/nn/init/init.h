// SPDX-License-Identifier: Apache-2.0
#pragma once
// torch.nn.init: fills tensors in place, not recorded, with the numbers that PyTorch draws for the same seed.

#include <string_view>

#include "core/nn/native_function.h"
#include "core/tensor/tensor.h"

namespace loupe::nn::init {

std::span<const NativeFunction> records();

// The gain of a nonlinearity: 5/3 for tanh, sqrt(2) for relu; param is leaky_relu's slope. Throws Error (Run) for
// another.
double calculate_gain(std::string_view nonlinearity, const IValue& param = {});
struct Fans {
    std::int64_t in = 0;
    std::int64_t out = 0;
};
// Throws Error (Run) for fewer than two dimensions.
Fans calculate_fans(const Tensor& t);

Tensor uniform_(const Tensor& t, double a = 0, double b = 1);
Tensor normal_(const Tensor& t, double mean = 0, double std = 1);
Tensor constant_(const Tensor& t, const Scalar& value);
Tensor xavier_uniform_(const Tensor& t, double gain = 1);
Tensor xavier_normal_(const Tensor& t, double gain = 1);
Tensor kaiming_uniform_(const Tensor& t, double a = 0, std::string_view mode = "fan_in",
                        std::string_view nonlinearity = "leaky_relu");

}  // namespace loupe::nn::init
