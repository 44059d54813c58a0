// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/libraries.h"

#include "plugins/cuda/convolution/convolution.h"
#ifdef LOUPE_NCCL
#include "plugins/cuda/nccl/nccl.h"
#endif
#include "plugins/cuda/products/products.h"

LOUPE_PLUGIN_EXPORT void loupe_cuda_register(const loupe::PluginRegistries& registries) {
    loupe::cuda::register_convolution(registries);
    loupe::cuda::register_products(registries);
#ifdef LOUPE_NCCL
    loupe::cuda::register_nccl(registries);
#endif
}
