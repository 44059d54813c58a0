// SPDX-License-Identifier: Apache-2.0
// Kernels of cuSOLVER alone: the simulated GPU has no cuFFT.

#include "plugins/cuda/libraries.h"
#include "plugins/cuda/linalg/linalg.h"

LOUPE_PLUGIN_EXPORT void loupe_cuda_register(const loupe::PluginRegistries& registries) {
    loupe::cuda::register_linalg(registries);
}
