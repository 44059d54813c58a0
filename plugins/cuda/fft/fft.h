// SPDX-License-Identifier: Apache-2.0
#pragma once
// Fourier transforms by cuFFT.

#include "core/plugin/plugin.h"

namespace loupe::cuda {

void register_fft(const PluginRegistries& registries);

}  // namespace loupe::cuda
