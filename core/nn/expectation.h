// SPDX-License-Identifier: Apache-2.0
#pragma once
// The expected inputs of a layer, for errors beside PyTorch's text.

#include <string>

#include "core/nn/module.h"

namespace loupe::nn {

// "Linear(in_features=3, out_features=2, bias=True) expects input [*, 3], got float32 [4, 5]" when an argument of the
// layer's forward does not fit it; empty when all fit, or for an unknown layer.
std::string unfit_input(const Module& layer, std::span<const IValue> arguments);

}  // namespace loupe::nn
