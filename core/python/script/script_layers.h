// SPDX-License-Identifier: Apache-2.0
#pragma once
// Layers of torch.nn in scripts, from their records.

#include <string>

#include "core/nn/layer.h"

namespace loupe::python {

// The forward that the record's `calls` says, as source: "def forward(self, input: Tensor): return F.elu(input,
// self.alpha, self.inplace)".
std::string forward_source(const nn::LayerRecord& record);

}  // namespace loupe::python
