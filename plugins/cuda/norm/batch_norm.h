// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plugin/plugin.h"

namespace loupe::cuda {

// Batch norm and the gradient of its training form by cuDNN, where PyTorch takes it: float32, float64, and float16 with
// parameters in float32; others are kernels of our own.
void register_batch_norm(const PluginRegistries& registries);

}  // namespace loupe::cuda
