// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plugin/plugin.h"

namespace loupe::cuda {

// Convolutions of one to three spatial dimensions and their gradients by cuDNN: float32 (not rounded to TF32), float64,
// float16 and bfloat16, grouped, dilated, transposed, channels last.
void register_convolution(const PluginRegistries& registries);

}  // namespace loupe::cuda
