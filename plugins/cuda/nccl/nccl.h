// SPDX-License-Identifier: Apache-2.0
#pragma once
// NCCL: memory of GPUs between ranks. Each communicator has a stream of its own, so that its collectives run beside the
// program's kernels.

#include "core/plugin/plugin.h"

namespace loupe::cuda {

void register_nccl(const PluginRegistries& registries);

}  // namespace loupe::cuda
