// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/tensor/tensor.h"

namespace loupe::quantized_ops {

// The greatest integer of each window of two dimensions; integers: [N, C, H, W]. In channels_last. nullopt for other
// dimensions, and for settings that torch.max_pool2d refuses.
std::optional<Tensor> pooled_integers(const Tensor& integers, const Dims& kernel, const Dims& stride,
                                      const Dims& padding, const Dims& dilation, bool ceil_mode);

}  // namespace loupe::quantized_ops
