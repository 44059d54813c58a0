// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plugin/plugin.h"

namespace loupe::cuda {

// mm, addmm, bmm, baddbmm by cuBLAS: float32, float64, float16 and bfloat16. Half types are added up in float32;
// float32 is not rounded to TF32.
void register_products(const PluginRegistries& registries);
// Linear layers with an activation, and their gradients.
void register_layers(const PluginRegistries& registries);

}  // namespace loupe::cuda
