// SPDX-License-Identifier: Apache-2.0
#pragma once
// The files of kernels, each of which registers its kernels.

#include "core/plugin/plugin.h"

namespace loupe::onednn {

void register_avg_pool(const PluginRegistries& registries);
void register_batch_norm(const PluginRegistries& registries);
void register_convolution(const PluginRegistries& registries);
void register_layer(const PluginRegistries& registries);
void register_layer_norm(const PluginRegistries& registries);
void register_max_pool(const PluginRegistries& registries);
void register_products(const PluginRegistries& registries);

}  // namespace loupe::onednn
