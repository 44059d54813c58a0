// SPDX-License-Identifier: Apache-2.0
#pragma once
// torch::nn::init: fills tensors in place, not recorded, with the numbers that LibTorch draws for the same seed.

#include <cstdint>
#include <tuple>

#include <loupe_torch/enum.h>
#include <loupe_torch/functions.h>

namespace torch::nn::init {

using Word = detail::Word;

// The gain of kTanh, kReLU, kLeakyReLU; param: the slope of the last. Throws c10::Error for another.
double calculate_gain(const Word& nonlinearity, double param = 0.01);
at::Tensor constant_(at::Tensor tensor, const at::Scalar& value);
at::Tensor dirac_(at::Tensor tensor);
at::Tensor eye_(at::Tensor matrix);
at::Tensor normal_(at::Tensor tensor, double mean = 0, double std = 1);
at::Tensor ones_(at::Tensor tensor);
at::Tensor orthogonal_(at::Tensor tensor, double gain = 1.0);
at::Tensor sparse_(at::Tensor tensor, double sparsity, double std = 0.01);
at::Tensor uniform_(at::Tensor tensor, double low = 0, double high = 1);
at::Tensor kaiming_normal_(at::Tensor tensor, double a = 0, const Word& mode = kFanIn,
                           const Word& nonlinearity = kLeakyReLU);
at::Tensor kaiming_uniform_(at::Tensor tensor, double a = 0, const Word& mode = kFanIn,
                            const Word& nonlinearity = kLeakyReLU);
at::Tensor xavier_normal_(at::Tensor tensor, double gain = 1.0);
at::Tensor xavier_uniform_(at::Tensor tensor, double gain = 1.0);
at::Tensor zeros_(at::Tensor tensor);
std::tuple<std::int64_t, std::int64_t> _calculate_fan_in_and_fan_out(const at::Tensor& tensor);

}  // namespace torch::nn::init
