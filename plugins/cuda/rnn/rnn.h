// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plugin/plugin.h"

namespace loupe::cuda {

// LSTM, GRU and plain recurrent networks of any layers and directions over packed sequences by cuDNN: float32 (not
// rounded to TF32), float64 and float16. Projections, and numbers dropped between layers, are not asked for.
void register_rnn(const PluginRegistries& registries);

}  // namespace loupe::cuda
