// SPDX-License-Identifier: Apache-2.0
#include "core/plugin/plugin.h"

#include "plugins/cuda/device.h"
#include "plugins/cuda/loops/kernel_loops.h"
#include "plugins/cuda/products/products.h"

namespace loupe::cuda {
namespace {

void register_all(const PluginRegistries& registries) {
    registries.add_device(DeviceType::Cuda, make_device());
    register_loops(registries, DeviceType::Cuda, "cuda");
    register_products(registries);
}

}  // namespace
}  // namespace loupe::cuda

LOUPE_PLUGIN_EXPORT const loupe::PluginTable* loupe_plugin() {
    static constexpr loupe::PluginTable kTable{
        loupe::kPluginInterface, "cuda", "NVIDIA GPUs: elementwise loops and reductions, products by cuBLAS.",
        "an NVIDIA driver for CUDA 13, cuBLAS 13", loupe::cuda::register_all};
    return &kTable;
}
