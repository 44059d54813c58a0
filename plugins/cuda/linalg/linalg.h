// SPDX-License-Identifier: Apache-2.0
#pragma once
// Factors and solutions of dense matrices by cuSOLVER.

#include "core/plugin/plugin.h"

namespace loupe::cuda {

void register_linalg(const PluginRegistries& registries);

}  // namespace loupe::cuda
