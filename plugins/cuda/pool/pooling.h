// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plugin/plugin.h"

namespace loupe::cuda {

// Averages over large windows, and gradients of windows that overlap that much, by cuDNN: a loop of our own has a
// thread a window. The greatest element is a loop of our own always: cuDNN does not give its place.
void register_pooling_library(const PluginRegistries& registries);

}  // namespace loupe::cuda
