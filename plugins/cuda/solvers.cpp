// SPDX-License-Identifier: Apache-2.0
// Kernels of cuFFT and cuSOLVER: a shared library of its own, without which the CPU computes these.

#include "plugins/cuda/fft/fft.h"
#include "plugins/cuda/libraries.h"
#include "plugins/cuda/linalg/linalg.h"

LOUPE_PLUGIN_EXPORT void loupe_cuda_register(const loupe::PluginRegistries& registries) {
    loupe::cuda::register_fft(registries);
    loupe::cuda::register_linalg(registries);
}
