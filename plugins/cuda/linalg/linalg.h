// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plugin/plugin.h"

namespace loupe::cuda {

// Factorisations, systems, orthogonal factors and singular values by cuSOLVER and cuBLAS, in float32, float64 and
// complex numbers of either.
void register_linalg(const PluginRegistries& registries);

// The files of this folder.
void register_factors(const PluginRegistries& registries);
void register_systems(const PluginRegistries& registries);
void register_orthogonal(const PluginRegistries& registries);
void register_general(const PluginRegistries& registries);
void register_least_squares(const PluginRegistries& registries);

}  // namespace loupe::cuda
